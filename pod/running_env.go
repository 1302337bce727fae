package pod

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// A RunningEnv is an environment in motion, where a model and the actions alone do not
// say what happens: chance or another process has a part in it, or episodes end.
type RunningEnv interface {
	// Begin gives the first state of an iteration.
	Reset(ctx context.Context) (state int, err error)
	// Act does an action. Where that ends the episode, the next one has begun.
	Step(ctx context.Context, a int) (StepResult, error)
}

// A RestorableEnv is a world of this program's own, which goes on from what it saved.
// Any other is brought back by doing again what was done in it.
type RestorableEnv interface {
	RunningEnv
	// Save is all that Restore needs to go on from here.
	Save() ([]byte, error)
	Restore(ctx context.Context, saved []byte) error
}

// StepResult is what an action leads to.
type StepResult struct {
	State     int // after the action
	End       EpisodeEnd
	NextStart int // state that the next episode begins in, where this one ended
}

// EpisodeEnd says whether and how an episode ends.
type EpisodeEnd uint8

// An episode is terminated where the environment ends it, and truncated where only
// its time is up: values go on beyond the second alone.
const (
	NotEnded EpisodeEnd = iota
	Terminated
	Truncated
)

// Episodic is an Env that is left and begun anew. Each iteration begins an episode.
type Episodic interface {
	StartStates() []int    // states that an episode begins in, one drawn uniformly
	IsTerminal(s int) bool // the episode ends in s; the model leads nowhere from there
	EpisodeLimit() int64   // steps after which an episode is cut, 0 for none
}

// HasEpisodes says whether episodes of env ever end.
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

// ActionsDetermineStates says that a state and the actions from there on determine all states.
func ActionsDetermineStates(env Env) bool {
	if _, ok := env.(*External); ok {
		return false
	}
	return !HasActions(env) || Deterministic(env) && !HasEpisodes(env)
}

// Deterministic reports whether every action of every state of env leads to one
// state. As [HasModel] does, it tells without making the model of a large environment.
func Deterministic(env Env) bool {
	if t, ok := As[knownDeterminism](env); ok {
		return t.isDeterministic()
	}
	return env.Model().Deterministic()
}

// knownDeterminism is an Env that makes its model when it is first asked for it, and knows
// before whether chance has a part in it.
type knownDeterminism interface{ isDeterministic() bool }

func (r *Ring) isDeterministic() bool { return true }

func (g *Grid) isDeterministic() bool { return g.slip == 0 }

func (t *Taxi) isDeterministic() bool { return true }

// EnvStream is the use of the stream that a built-in world draws from.
const EnvStream = "world"

// NewRunningEnv is a built-in environment in motion in iteration k. Without episodes it
// goes on from the given state.
func NewRunningEnv(env Env, seed uint64, k, state int) RunningEnv {
	w := &runningEnv{env: env, stream: NewStream(seed, k, EnvStream), state: state}
	if HasEpisodes(env) {
		w.episodic, _ = As[Episodic](env)
	}
	return w
}

type runningEnv struct {
	env      Env
	episodic Episodic // nil where no episode ends
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

// runningEnvState is a built-in world, saved.
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
		return fmt.Errorf("world: %w", err)
	}
	if at.State < 0 || at.State >= w.env.States() || at.Steps < 0 {
		return fmt.Errorf("%w: a world in state %d after %d steps", schema.ErrMalformed, at.State, at.Steps)
	}
	stream, err := RestoreStream(at.Stream)
	if err == nil {
		w.stream, w.state, w.steps = stream, at.State, at.Steps
	}
	return err
}
