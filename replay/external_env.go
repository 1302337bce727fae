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

// EnvLauncher sets environments in motion that this program does not have. It may be used
// by several goroutines.
type EnvLauncher interface {
	// Expect refuses an environment that is none of these worlds.
	CheckEnv(ctx context.Context, env schema.Env) error
	// Enter begins iteration k in the environment that env describes, and makes what
	// is observed known to seen. The world ends with ctx, or when it is closed if it is
	// an [io.Closer].
	Launch(ctx context.Context, env schema.Env, seen *pod.External, seed uint64, k int) (pod.RunningEnv, error)
}

type envLauncherKey struct{}

// WithEnvLauncher is a context for whatever runs or judges. Which program is an
// environment is said by a command and by nothing that is recorded, and is, like the
// time that it is given, the same for all that the command does.
func WithEnvLauncher(ctx context.Context, w EnvLauncher) context.Context {
	return context.WithValue(ctx, envLauncherKey{}, w)
}

func envLauncherFrom(ctx context.Context) EnvLauncher {
	w, _ := ctx.Value(envLauncherKey{}).(EnvLauncher)
	return w
}

// ErrNoEnvLauncher says that a run's environment runs in another process, and that nobody
// said which program it is.
var ErrNoEnvLauncher = errors.New("runs in another process, which was not named")

// newNoLauncherError is the error of a run that cannot act.
func newNoLauncherError(env schema.Env) error {
	return schema.Hint(fmt.Errorf("environment %q %w", env.Name, ErrNoEnvLauncher), "say which program it is, as for podtrack run: --env exec:CMD or --env gym:NAME")
}

// withOwnEnv is a context in which a run acts in its own environment or in none: of
// several runs, each can have another one.
func withOwnEnv(ctx context.Context, env schema.Env) (context.Context, error) {
	worlds := envLauncherFrom(ctx)
	if worlds == nil || env.External == nil {
		return ctx, nil
	}
	err := worlds.CheckEnv(ctx, env)
	if errors.Is(err, pod.ErrEnvMismatch) {
		return WithEnvLauncher(ctx, nil), nil
	}
	return ctx, err
}

// expectWorld refuses to go on with a run that has steps to do and nobody to do them.
func (j Job) checkEnv(ctx context.Context, store *tracker.Store) error {
	k := 0
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		_, k, err = j.startPoint(tx)
		return err
	})
	worlds := envLauncherFrom(ctx)
	switch {
	case err != nil && !errors.Is(err, tracker.ErrNoStore) && !errors.Is(err, tracker.ErrMissing):
		return err
	case k >= j.Target:
		return nil
	case worlds == nil:
		return newNoLauncherError(j.Spec.Env)
	}
	return worlds.CheckEnv(ctx, j.Spec.Env)
}

// enterWorld is the iteration's environment in motion.
func (it *iteration) launchEnv(ctx context.Context) (pod.RunningEnv, error) {
	p := it.runState
	x := p.external()
	if x == nil {
		return pod.NewRunningEnv(p.env, p.spec().Seed, p.k, p.state), nil
	}
	worlds := envLauncherFrom(ctx)
	if worlds == nil {
		return nil, newNoLauncherError(p.spec().Env)
	}
	return worlds.Launch(ctx, p.spec().Env, x, p.spec().Seed, p.k)
}

// leave ends what runs elsewhere.
func (it *iteration) closeEnv() error {
	c, ok := it.agent.Running.(io.Closer)
	if !ok {
		return nil
	}
	it.agent.Running = nil
	return c.Close()
}
