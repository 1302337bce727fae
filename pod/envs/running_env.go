package envs

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema/wire"
)

// A RunningEnv is an environment in execution, with Reset and Step as usual. It is needed
// if a model and the actions alone do not determine what happens: in stochastic, external
// and episodic environments.
type RunningEnv interface {
	// Reset returns the first state of an iteration.
	Reset(ctx context.Context) (state int, err error)
	// Step takes an action. If that ends the episode, the next one has begun.
	Step(ctx context.Context, a int) (StepResult, error)
}

// A StepResult is the result of an action.
type StepResult struct {
	State     int // after the action
	End       EpisodeEnd
	NextStart int // state in which the next episode begins, if this one ended

	Reward float64 // finite, and never −0; 0 if the environment declares no reward
}

// An EpisodeEnd is whether and how an episode ended.
type EpisodeEnd uint8

// An episode is terminated if the environment ends it, and truncated if it reaches its
// limit of steps: values are bootstrapped only after a truncated one.
const (
	NotEnded EpisodeEnd = iota
	Terminated
	Truncated
)

// A RestorableEnv is a running environment of this program, which can continue from a
// saved state. Any other is restored by repeating its actions.
type RestorableEnv interface {
	RunningEnv
	// Save returns the state from which Restore can continue.
	Save() ([]byte, error)
	Restore(ctx context.Context, saved []byte) error
}

// envStream is the purpose of the random stream of a built-in running environment.
const envStream = "world"

// NewRunningEnv returns an environment with a model in execution for iteration k. Without
// episodes it continues from the given state.
func NewRunningEnv(env ModelEnv, seed uint64, k, state int) RunningEnv {
	w := &runningEnv{env: env, stream: rng.NewStream(seed, k, envStream), state: state}
	if HasEpisodes(env) {
		w.episodic, _ = As[Episodic](env)
	}
	return w
}

type runningEnv struct {
	env      ModelEnv
	episodic Episodic // nil if no episode ends
	stream   *rng.Stream
	state    int
	steps    int64 // of the episode
}

func (r *runningEnv) Reset(context.Context) (int, error) {
	if r.episodic != nil {
		r.beginEpisode()
	}
	return r.state, nil
}

func (r *runningEnv) beginEpisode() {
	starts := r.episodic.StartStates()
	r.state, r.steps = starts[0], 0
	if len(starts) > 1 {
		r.state = starts[r.stream.Below(len(starts))]
	}
}

func (r *runningEnv) Step(_ context.Context, a int) (StepResult, error) {
	r.state = r.env.Model().SampleSuccessor(r.state, a, r.stream)
	r.steps++
	o := StepResult{State: r.state}
	switch {
	case r.episodic == nil:
		return o, nil
	case r.episodic.IsTerminal(r.state):
		o.End = Terminated
	case r.steps == r.episodic.EpisodeLimit():
		o.End = Truncated
	default:
		return o, nil
	}
	r.beginEpisode()
	o.NextStart = r.state
	return o, nil
}

// runningEnvState is the saved state of a built-in running environment.
type runningEnvState struct {
	Stream []byte `cbor:"stream"`
	State  int    `cbor:"state"`
	Steps  int64  `cbor:"steps"`
}

func (r *runningEnv) Save() ([]byte, error) {
	stream, err := r.stream.Save()
	if err != nil {
		return nil, err
	}
	return wire.Marshal(runningEnvState{Stream: stream, State: r.state, Steps: r.steps})
}

func (r *runningEnv) Restore(_ context.Context, saved []byte) error {
	var at runningEnvState
	if err := wire.Unmarshal(saved, &at); err != nil {
		return fmt.Errorf("running environment: %w", err)
	}
	if at.State < 0 || at.State >= r.env.States() || at.Steps < 0 {
		return fmt.Errorf("%w: a running environment in state %d after %d steps", wire.ErrMalformed, at.State,
			at.Steps)
	}
	stream, err := rng.RestoreStream(at.Stream)
	if err == nil {
		r.stream, r.state, r.steps = stream, at.State, at.Steps
	}
	return err
}
