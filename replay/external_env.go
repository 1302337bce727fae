package replay

import (
	"context"
	"errors"
	"fmt"
	"io"

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

// ErrNoEnvLauncher is the error of a run whose external environment was not given.
var ErrNoEnvLauncher = errors.New("needs its external program")

// newNoLauncherError returns the error of a run whose environment cannot be launched.
func newNoLauncherError(env schema.Env) error {
	return schema.Advise(fmt.Errorf("environment %q %w", env.Name, ErrNoEnvLauncher), AdviceEnvLauncher)
}

// forEnv returns the options without a launcher that launches another environment: several runs
// may have different ones.
func (o Options) forEnv(ctx context.Context, env schema.Env) (Options, error) {
	if o.Launcher == nil || env.External == nil {
		return o, nil
	}
	err := o.Launcher.CheckEnv(ctx, env)
	if errors.Is(err, pod.ErrEnvMismatch) {
		o.Launcher, err = nil, nil
	}
	return o, err
}

// checkEnv returns an error if the run has steps left and no external environment.
func (j Job) checkEnv(ctx context.Context, store *tracker.Store, launcher EnvLauncher) error {
	k := 0
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		_, k, err = j.startPoint(tx)
		return err
	})
	switch {
	case err != nil && !errors.Is(err, tracker.ErrNoStore) && !errors.Is(err, tracker.ErrMissing):
		return err
	case k >= j.Target:
		return nil
	case launcher == nil:
		return newNoLauncherError(j.Spec.Env)
	}
	return launcher.CheckEnv(ctx, j.Spec.Env)
}

// launchEnv returns the iteration's running environment.
func (it *iteration) launchEnv(ctx context.Context) (pod.RunningEnv, error) {
	p := it.runState
	x := p.growing()
	if x == nil {
		m, ok := pod.As[pod.ModelEnv](p.env)
		if !ok {
			return nil, fmt.Errorf("environment %q: %w: there is none to run it by", p.spec().Env.Name, pod.ErrModel)
		}
		return pod.NewRunningEnv(m, p.spec().Seed, p.k, p.state), nil
	}
	if p.launcher == nil {
		return nil, newNoLauncherError(p.spec().Env)
	}
	return p.launcher.Launch(ctx, p.spec().Env, x.Observed(), p.spec().Seed, p.k)
}

// closeEnv closes an external environment.
func (it *iteration) closeEnv() error {
	c, ok := it.agent.Running.(io.Closer)
	if !ok {
		return nil
	}
	it.agent.Running = nil
	return c.Close()
}
