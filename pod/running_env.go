package pod

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// A RunningEnv is an environment in execution, with Reset and Step as usual. It is needed
// if a model and the actions alone do not determine what happens: in stochastic, external
// and episodic environments.
type RunningEnv interface {
	// Begin gives the first state of an iteration.
	Reset(ctx context.Context) (state int, err error)
	// Act does an action. Where that ends the episode, the next one has begun.
	Step(ctx context.Context, a int) (StepResult, error)
}

// A RestorableEnv is a running environment of this program, which can continue from a
// saved state. Any other is restored by repeating its actions.
type RestorableEnv interface {
	RunningEnv
	// Save is all that Restore needs to go on from here.
	Save() ([]byte, error)
	Restore(ctx context.Context, saved []byte) error
}

// A StepResult is what an action leads to.
type StepResult struct {
	State     int // after the action
	End       EpisodeEnd
	NextStart int // state in which the next episode begins, if this one ended
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

// Episodic is an Env with episodes. Each iteration begins with a new one.
type Episodic interface {
	StartStates() []int    // states in which an episode may begin, one drawn uniformly
	IsTerminal(s int) bool // the episode ends in s; s is absorbing in the model
	EpisodeLimit() int64   // steps after which an episode is truncated, 0 for none
}

// HasEpisodes reports whether episodes of env ever end.
func HasEpisodes(env Env) bool {
	if _, ok := env.(*External); ok {
		return true
	}
	e, ok := As[Episodic](env)
	if !ok {
		return false
	}
	if e.EpisodeLimit() > 0 {
		return true
	}
	for s := range env.States() {
		if e.IsTerminal(s) {
			return true
		}
	}
	return false
}

// ActionsDetermineStates reports whether a state and the actions from there on determine
// all later states.
func ActionsDetermineStates(env Env) bool {
	if _, ok := env.(*External); ok {
		return false
	}
	return !HasActions(env) || Deterministic(env) && !HasEpisodes(env)
}

// Deterministic reports whether every action of every state of env leads to exactly one
// state. Like [HasModel] it does not build the model of a large environment.
func Deterministic(env Env) bool {
	if t, ok := As[knownDeterminism](env); ok {
		return t.isDeterministic()
	}
	return env.Model().Deterministic()
}

// knownDeterminism is an Env that builds its model on first use, but knows before whether
// it is deterministic.
type knownDeterminism interface{ isDeterministic() bool }

func (r *Ring) isDeterministic() bool { return true }

func (g *Grid) isDeterministic() bool { return g.slip == 0 }

func (t *Taxi) isDeterministic() bool { return true }

// EnvStream is the purpose of the random stream of a built-in running environment.
const EnvStream = "world"

// NewRunningEnv returns a built-in environment in execution for iteration k. Without
// episodes it continues from the given state.
func NewRunningEnv(env Env, seed uint64, k, state int) RunningEnv {
	w := &runningEnv{env: env, stream: NewStream(seed, k, EnvStream), state: state}
	if HasEpisodes(env) {
		w.episodic, _ = As[Episodic](env)
	}
	return w
}

type runningEnv struct {
	env      Env
	episodic Episodic // nil if no episode ends
	stream   *Stream
	state    int
	steps    int64 // of the episode
}

func (w *runningEnv) Reset(context.Context) (int, error) {
	if w.episodic != nil {
		w.beginEpisode()
	}
	return w.state, nil
}

func (w *runningEnv) beginEpisode() {
	starts := w.episodic.StartStates()
	w.state, w.steps = starts[0], 0
	if len(starts) > 1 {
		w.state = starts[w.stream.Below(len(starts))]
	}
}

func (w *runningEnv) Step(_ context.Context, a int) (StepResult, error) {
	w.state = w.env.Model().sampleSuccessor(w.state, a, w.stream)
	w.steps++
	o := StepResult{State: w.state}
	switch {
	case w.episodic == nil:
		return o, nil
	case w.episodic.IsTerminal(w.state):
		o.End = Terminated
	case w.steps == w.episodic.EpisodeLimit():
		o.End = Truncated
	default:
		return o, nil
	}
	w.beginEpisode()
	o.NextStart = w.state
	return o, nil
}

// runningEnvState is the saved state of a built-in running environment.
type runningEnvState struct {
	Stream []byte `cbor:"stream"`
	State  int    `cbor:"state"`
	Steps  int64  `cbor:"steps"`
}

func (w *runningEnv) Save() ([]byte, error) {
	stream, err := w.stream.Save()
	if err != nil {
		return nil, err
	}
	return schema.Marshal(runningEnvState{Stream: stream, State: w.state, Steps: w.steps})
}

func (w *runningEnv) Restore(_ context.Context, saved []byte) error {
	var at runningEnvState
	if err := schema.Unmarshal(saved, &at); err != nil {
		return fmt.Errorf("running environment: %w", err)
	}
	if at.State < 0 || at.State >= w.env.States() || at.Steps < 0 {
		return fmt.Errorf("%w: a running environment in state %d after %d steps", schema.ErrMalformed, at.State,
			at.Steps)
	}
	stream, err := RestoreStream(at.Stream)
	if err == nil {
		w.stream, w.state, w.steps = stream, at.State, at.Steps
	}
	return err
}
