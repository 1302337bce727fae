package replay

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Verdict is the result of verifying a stage.
type Verdict string

// The verdicts of a stage.
const (
	Identical  Verdict = "identical"
	Different  Verdict = "different" // recomputing it from the recorded inputs gives another record
	Damaged    Verdict = "damaged"   // the record is missing, or its bytes do not match its digest
	Unverified Verdict = "unjudged"  // an input of the stage is damaged or missing
	Skipped    Verdict = "skipped"   // not in the sample
)

// StageResult is the verdict on a stage, with the reason if it is not Identical.
type StageResult struct {
	Stage      string      `json:"stage"`
	Verdict    Verdict     `json:"verdict"`
	Pruned     int         `json:"pruned,omitempty"` // records compared by digest alone, because they were pruned
	Difference *Difference `json:"difference,omitempty"`
	Reason     string      `json:"reason,omitempty"`

	// Level is how far the stage's records are proved, empty if one of them is wrong or lost, or was not examined.
	Level schema.Level `json:"level,omitempty"`

	noEnv   bool // unverified because the environment was not given
	noStage bool // not executed because the external stage was not given
}

// ErrUnverifiable is the error of a run that this program cannot verify, or not with the records in its store.
var ErrUnverifiable = errors.New("cannot be verified here")

// CheckRecomputable returns an error for a run whose records this program cannot recompute. Such records must not be
// pruned.
func CheckRecomputable(run tracker.Run) error {
	_, err := newRecomputable(run)
	return err
}

// newRecomputable returns the environment of a run whose records this program can recompute.
func newRecomputable(run tracker.Run) (env envs.Env, err error) {
	defer envs.CatchEnvPanic(&err)
	if err := CheckNumerics(run); err != nil {
		return nil, err
	}
	env, err = pod.NewEnvForSpec(run.Spec)
	return env, asUnverifiable(run, err)
}

// CheckNumerics returns an error for a run of a numerics version that this program does not compute.
func CheckNumerics(run tracker.Run) error {
	return asUnverifiable(run, schema.CheckNumerics(run.Spec.Numerics))
}

func asUnverifiable(run tracker.Run, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("run %.7s %w: %w", run.ID, ErrUnverifiable, err)
}
