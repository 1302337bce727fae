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
	Damaged    Verdict = "damaged"   // the record is missing, or its bytes are not those of its name
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

	// Level is how much is known of the stage's records, empty if something of them is wrong, lost or was not
	// looked at.
	Level schema.Level `json:"level,omitempty"`

	noEnv   bool // unjudged because the environment is not there
	noStage bool // not executed because the external stage is not there
}

// External reports whether the stage was not executed since it is external and was not given, and its records have a
// level nevertheless.
func (s StageResult) External() bool { return s.noStage && s.Level != "" }

// ErrUnverifiable is the error of a run that this program cannot verify, or not from what its
// store holds.
var ErrUnverifiable = errors.New("cannot be verified here")

// CheckRecomputable returns an error for a run whose records this program cannot recompute, so
// that it prunes none of them.
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
