package stages

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// Advice of this package's errors.
const (
	AdviceEnvLauncher = "give the external environment"
	AdviceImportFirst = "import the run's data first"
	AdviceRepeatable  = "test the environment: nothing was changed; it must draw all randomness from " +
		"the seed of its reset"
)

// startEnv starts an environment whose actions do not determine the states. Its reset decides where the iteration
// starts.
func (i *Iteration) startEnv(ctx context.Context) error {
	if i.Stats != nil {
		return nil
	}
	running, err := i.launchEnv(ctx)
	if err != nil {
		return err
	}
	i.Agent.Running = running
	state, err := running.Reset(ctx)
	if err == nil {
		i.beginAt(state)
	}
	return err
}

// launchEnv returns the iteration's running environment.
func (i *Iteration) launchEnv(ctx context.Context) (envs.RunningEnv, error) {
	p := i.RunState
	x := p.Growing()
	if x == nil {
		m, ok := envs.As[envs.ModelEnv](p.Env)
		if !ok {
			return nil, fmt.Errorf("environment %q: %w: it has no model to simulate", p.Spec().Env.Name, envs.ErrModel)
		}
		return envs.NewRunningEnv(m, p.Spec().Seed, p.K, p.State), nil
	}
	if p.Launcher == nil {
		return nil, NewNoLauncherError(p.Spec().Env)
	}
	return p.Launcher.Launch(ctx, p.Spec().Env, x.Observed(), p.Spec().Seed, p.K)
}

// CloseEnv closes an external environment.
func (i *Iteration) CloseEnv() error {
	c, ok := i.Agent.Running.(io.Closer)
	if !ok {
		return nil
	}
	i.Agent.Running = nil
	return c.Close()
}

// restoreExternal restores an iteration in an external environment. The process is not started if
// all steps were taken.
func (i *Iteration) restoreExternal(
	ctx context.Context, store *tracker.Store, c *tracker.Checkpoint, at checkpointState,
) error {
	chunks, err := i.restoreExternalChunks(ctx, store, c, at)
	if err != nil || at.Partial == nil {
		return err
	}
	partial, err := schema.DecodeTransitions(at.Partial)
	if err != nil {
		return err
	}
	var rewards schema.Rewards // of the unfinished chunk, nil without rewards
	if i.HasRewards() {
		if rewards, err = schema.DecodeRewards(at.Rewards); err == nil {
			err = recorded.CheckRewards(rewards, len(partial.Actions))
		}
		if err != nil {
			return err
		}
	}
	first := partial.Start
	if len(chunks) > 0 {
		first = chunks[0].Start
	}
	steps := int64(len(partial.Actions))
	for _, t := range chunks {
		steps += int64(len(t.Actions))
	}
	if first >= uint64(i.RunState.Env.States()+len(at.Fingerprints)/envs.FingerprintSize) {
		return fmt.Errorf("%w: iteration starts in state %d, which is unknown", wire.ErrMalformed, first)
	}
	if steps < i.RunState.Spec().Steps || i.RunState.CodeChanged && !i.isImported() && !i.IsCollectedExternally() {
		rewardsOf := func(n int) (schema.Rewards, error) {
			if n == len(chunks) || !i.HasRewards() {
				return rewards, nil
			}
			return tracker.Read(store.Within(ctx), func(tx *tracker.Tx) (schema.Rewards, error) {
				return recorded.LoadRewards(tx, schema.Iteration{Records: c.Records}, n, len(chunks[n].Actions))
			})
		}
		if err := i.rebuildEnv(ctx, at, int(first), append(chunks, partial), rewardsOf); err != nil {
			return err
		}
	}
	i.beginAt(int(first)) // known by now
	i.chunk, i.rewards = partial, rewards
	envs.ExtendPolicies(i.RunState.Env, i.RunState.options.Options)
	return nil
}

// restoreExternalChunks adds the observations of the recorded chunks and of the unfinished one,
// and returns the chunks.
func (i *Iteration) restoreExternalChunks(
	ctx context.Context, store *tracker.Store, c *tracker.Checkpoint, at checkpointState,
) (chunks []schema.Transitions, err error) {
	i.DiscardObservations()
	err = store.View(ctx, func(tx *tracker.Tx) error {
		chunks = nil
		for _, e := range c.Records {
			if e.Kind != schema.KindTransitions {
				continue
			}
			t, err := tracker.Load(tx, e.Name, schema.DecodeTransitions)
			if err != nil {
				return err
			}
			chunks = append(chunks, t)
		}
		return i.RunState.LoadObservations(tx, schema.Iteration{Records: c.Records})
	})
	if err != nil {
		return nil, err
	}
	i.recordedStates = i.RunState.Env.States()
	if err := i.restoreObservations(at); err != nil {
		return nil, err
	}
	envs.ExtendPolicies(i.RunState.Env, i.RunState.options.Options)
	return chunks, nil
}

// rebuildEnv launches the environment and repeats the recorded actions in it. Every observation has to be the recorded
// one, which proves that the environment is in the same state again.
func (i *Iteration) rebuildEnv(
	ctx context.Context, at checkpointState, first int, chunks []schema.Transitions,
	rewardsOf func(chunk int) (schema.Rewards, error),
) error {
	running, err := i.launchEnv(ctx)
	if err != nil {
		return err
	}
	i.Agent.Running = running
	state, err := running.Reset(ctx)
	if err != nil {
		return err
	}
	if state != first || !i.hasFingerprint(at.Fingerprints, state) {
		return newDivergedError("the reset at the start of iteration %d has", i.RunState.K)
	}
	return i.repeatActions(ctx, chunks, rewardsOf, at.Fingerprints)
}

// repeatActions repeats the recorded actions and compares the outcomes with the recorded ones. It reads a chunk's
// rewards only when it reaches the chunk.
func (i *Iteration) repeatActions(
	ctx context.Context, chunks []schema.Transitions, rewardsOf func(chunk int) (schema.Rewards, error), prints []byte,
) error {
	step := int64(0)
	for c, t := range chunks {
		rewards, err := rewardsOf(c)
		if err != nil {
			return err
		}
		episodes := t.Episodes
		_, err = collect.TakeSteps(ctx, i.Agent.Running, t.Actions, func(n int, o envs.StepResult) error {
			expected := envs.StepResult{State: int(t.Next[n])}
			if rewards != nil {
				expected.Reward = rewards[n]
			}
			if len(episodes) > 0 && episodes[0].Step == uint64(n+1) {
				expected.NextStart, expected.End = int(episodes[0].State), envs.Truncated
				if episodes[0].Terminated {
					expected.End = envs.Terminated
				}
				episodes = episodes[1:]
			}
			action := i.RunState.Env.Actions()[t.Actions[n]]
			if o.Reward != expected.Reward {
				return newDivergedError("step %d of iteration %d, action %q, with reward %v instead of %v, has", step,
					i.RunState.K, action, o.Reward, expected.Reward)
			}
			if o != expected || !i.hasFingerprint(prints, o.State) || !i.hasFingerprint(prints, o.NextStart) {
				return newDivergedError("step %d of iteration %d, action %q, has", step, i.RunState.K, action)
			}
			if step++; step%externalSliceSteps == 0 {
				i.report(Collect, step, i.RunState.Spec().Steps)
			}
			return nil
		})
		if errors.Is(err, envs.ErrEnvNotRepeatable) {
			return err
		}
		if err != nil {
			return fmt.Errorf("repeating step %d: %w", step, err)
		}
	}
	return nil
}

// newDivergedError returns the error of an environment that does not repeat its outcomes.
func newDivergedError(what string, args ...any) error {
	return schema.Hint(fmt.Errorf("%w: "+what+" another outcome than recorded",
		append([]any{envs.ErrEnvNotRepeatable}, args...)...), AdviceRepeatable)
}

// ErrNoEnvLauncher is the error of a run whose external environment was not given.
var ErrNoEnvLauncher = errors.New("needs its external program")

// NewNoLauncherError returns the error of a run whose environment cannot be launched.
func NewNoLauncherError(env schema.Env) error {
	return schema.Hint(fmt.Errorf("environment %q %w", env.Name, ErrNoEnvLauncher), AdviceEnvLauncher)
}

// EnvLauncher starts external environments, like [replay.EnvLauncher].
type EnvLauncher interface {
	Launch(ctx context.Context, env schema.Env, seen *envs.ObservedStates, seed uint64, k int) (envs.RunningEnv, error)
}
