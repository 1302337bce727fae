package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// EnvLauncher launches external environments. It may be used by several goroutines.
type EnvLauncher interface {
	// CheckEnv returns an error if the program is another environment than env.
	CheckEnv(ctx context.Context, env schema.Env) error
	// Launch starts the environment that env describes for iteration k and adds its
	// observations to seen. The environment runs until ctx is cancelled, or until it is
	// closed if it is an [io.Closer].
	Launch(ctx context.Context, env schema.Env, seen *pod.ObservedStates, seed uint64, k int) (pod.RunningEnv, error)
}

// CodeLauncher is an EnvLauncher that knows the code of an environment's program, which CheckEnv has accepted.
type CodeLauncher interface {
	EnvLauncher
	Code(env schema.Env) tracker.Program
}

// ErrNoEnvLauncher is the error of a run whose external environment was not given.
var ErrNoEnvLauncher = errors.New("needs its external program")

// NewNoLauncherError returns the error of a run whose environment cannot be launched.
func NewNoLauncherError(env schema.Env) error {
	return schema.Advise(fmt.Errorf("environment %q %w", env.Name, ErrNoEnvLauncher), AdviceEnvLauncher)
}
