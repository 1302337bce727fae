package envs

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// An Observed is the type of a simulation's observations: the number of a state, features of 0 or 1, or real features.
type Observed interface{ int | []bool | []float64 }

// A Simulation defines an environment with unknown dynamics: it is observed step by step, and the observations are
// recorded. Its states are the distinct observations. Like an environment in another process, it is identified in a
// spec by its declaration, and programs without it can list, show, compare and audit runs in it. Continuing a run or
// replaying it in full needs the Simulation, which is a [github.com/podtrack/podtrack/replay.EnvLauncher].
//
// A change of its behaviour needs another Version.
type Simulation[O Observed] struct {
	Name       string            // letters, digits and . _ / -; no name of a built-in environment
	Version    string            // any text, such as 1.0
	Parameters map[string]string // other settings that decide its behaviour; may be nil
	Actions    []string          // names, in action order

	Size     int      // number of possible observations, for int; 0 for other types
	Features []string // names, in feature order, for []bool and []float64; nil for int

	HasReward bool // each step has a reward, which is recorded

	// New returns the environment at the beginning of an iteration. All its randomness must follow from
	// the seed, so that it can be repeated. New may be called by several goroutines; each result is used
	// by one. If the result is an [io.Closer] it is closed after the iteration.
	New func(seed uint64) (Simulator[O], error)
}

// A Simulator is a [Simulation] in execution. It may reuse the memory of its results: each is used before the next
// call.
type Simulator[O Observed] interface {
	// Reset begins an episode and returns its first observation. It is called once in the beginning
	// and after each step that ends an episode.
	Reset() (O, error)
	// Step takes an action, the index of one of the Simulation's actions.
	Step(action int) (Outcome[O], error)
}

// An Outcome is the result of a step of a [Simulator]. If the episode terminated, or was truncated
// by a limit of steps, State is its last observation: Reset returns the first of the next one.
type Outcome[O Observed] struct {
	State      O       // of Size, or an element for each feature, finite
	Reward     float64 // finite; 0 if the simulation has none
	Terminated bool
	Truncated  bool
}

// Env returns the environment as specs have it, or an error that wraps [schema.ErrSpec] if the
// declaration is not complete.
func (s *Simulation[O]) Env() (schema.Env, error) {
	x := &schema.External{
		Version: s.Version, Actions: s.Actions, Observes: schema.Discrete, Features: s.Features,
		Size: int64(len(s.Features)), Reward: s.HasReward,
	}
	switch any(*new(O)).(type) {
	case []bool:
		x.Observes = schema.Binary
	case []float64:
		x.Observes = schema.Real
	}
	switch {
	case x.Observes == schema.Discrete:
		x.Size = int64(s.Size)
	case s.Size != 0:
		return schema.Env{}, schema.Hint(fmt.Errorf("%w: simulation %q has %d features and Size %d", schema.ErrSpec, s.Name,
			len(s.Features), s.Size), "leave Size 0; it is for observations that are numbers")
	}
	if x.Features == nil {
		x.Features = []string{}
	}
	env := schema.Env{Name: s.Name, Params: map[string]int64{}, External: x}
	if len(s.Parameters) > 0 {
		env.Text = s.Parameters
	}
	if s.New == nil {
		return schema.Env{}, fmt.Errorf("%w: simulation %q has no function New", schema.ErrSpec, s.Name)
	}
	return env.Clone(), CheckDeclaration(env)
}

// CheckEnv returns an error that wraps [ErrEnvMismatch] if env is another environment.
func (s *Simulation[O]) CheckEnv(_ context.Context, env schema.Env) error {
	own, err := s.Env()
	if err == nil {
		err = CheckSameEnv(env, own)
	}
	return err
}

// Launch returns the environment in execution for iteration k, with [rng.ResetSeed] as its seed.
// Observations are added to seen.
func (s *Simulation[O]) Launch(
	ctx context.Context, env schema.Env, seen *ObservedStates, seed uint64, k int,
) (RunningEnv, error) {
	if err := s.CheckEnv(ctx, env); err != nil {
		return nil, err
	}
	simulator, err := Catch(func() (Simulator[O], error) { return s.New(rng.ResetSeed(seed, k)) })
	if err != nil {
		return nil, s.fail(fmt.Errorf("start: %w", err))
	}
	return &runningSimulation[O]{definition: s, simulator: simulator, seen: seen}, nil
}

// fail returns the error of a simulation that failed.
func (s *Simulation[O]) fail(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("environment %q: %w: %w", s.Name, ErrEnvFailed, err)
}
