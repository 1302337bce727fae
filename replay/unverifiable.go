package replay

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrUnverifiable is the error of a run that this program cannot verify, or not from what its
// store holds.
var ErrUnverifiable = errors.New("cannot be verified here")

// CheckRecomputable returns an error for a run whose records this program cannot recompute, so
// that it prunes none of them.
func CheckRecomputable(run tracker.Run) error {
	err := schema.CheckNumerics(run.Spec.Numerics)
	if err == nil {
		_, err = pod.NewEnvForSpec(run.Spec)
	}
	if err != nil {
		return fmt.Errorf("run %.7s %w: %w", run.ID, ErrUnverifiable, err)
	}
	return nil
}
