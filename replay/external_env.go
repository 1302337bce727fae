package replay

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// startEnv starts an environment whose actions do not determine the states. Its iterations start
// where it says.
func (it *iteration) startEnv(ctx context.Context) error {
	if it.stats != nil {
		return nil
	}
	running, err := it.launchEnv(ctx)
	if err != nil {
		return err
	}
	it.agent.Running = running
	state, err := running.Reset(ctx)
	if err == nil {
		it.beginAt(state)
	}
	return err
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
		return nil, NewNoLauncherError(p.spec().Env)
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
