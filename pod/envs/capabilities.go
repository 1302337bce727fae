package envs

import (
	"context"

	"github.com/podtrack/podtrack/schema"
)

// A SteppableEnv is an Env whose steps this process computes. If actions can slip, Step returns the state after an
// action that does not (of a [Graph]: the most likely successor).
type SteppableEnv interface {
	Env
	Start() int        // the state before the first step of a run
	Step(s, a int) int // the state after action a in state s
}

// A ModelEnv is an Env whose transition graph is known.
type ModelEnv interface {
	Env
	Model() *Model

	// Deterministic reports whether every action of every state leads to exactly one
	// state. It does not build the model, which takes gigabytes in a large environment.
	Deterministic() bool
}

// A SimulatedEnv is an Env with known steps and a known model.
type SimulatedEnv interface {
	SteppableEnv
	ModelEnv
}

// A GrowingEnv is an Env whose states are discovered: they are the distinct observations so far. It is not safe for
// concurrent use.
type GrowingEnv interface {
	Env

	// Observed returns the observations, to which more may be added.
	Observed() *ObservedStates

	// Prefix returns a read-only view of the environment with its first n states.
	Prefix(n int) GrowingEnv

	// ExtendPolicies extends the policies of options to states that were observed after
	// they were learned, if weights of features determine their action.
	ExtendPolicies(options []*schema.Option)
}

// Episodic is an Env with episodes. Each iteration begins with a new one.
type Episodic interface {
	StartStates() []int    // states in which an episode may begin, one drawn uniformly
	IsTerminal(s int) bool // the episode ends in s; s is absorbing in the model
	EpisodeLimit() int64   // steps after which an episode is truncated, 0 for none
}

// A Metric is an Env with a distance between its states.
type Metric interface {
	// Distances returns the steps of the shortest path from s to each state, [Never] if there is none.
	Distances(s int) []int32
}

// A stateNamer is an Env that has names for its states.
type stateNamer interface{ StateName(s int) string }

// A modelBuilder is a ModelEnv with so many states that building its model takes seconds.
type modelBuilder interface {
	buildModel(ctx context.Context) error
}

// A wrapper is an Env that presents another one with different features, as tabular does.
type wrapper interface{ Unwrap() Env }

// As returns env as a T, an interface of this file or the type of an environment, and whether it is one. A wrapper,
// such as tabular, is a T if it is one itself or else if the environment that it wraps is.
func As[T any](env Env) (T, bool) {
	if g, ok := env.(*guardedEnv); ok {
		t, ok := As[T](g.env)
		if guarded, is := env.(T); ok && is {
			return guarded, true
		}
		return t, ok
	}
	if t, ok := env.(T); ok {
		return t, true
	}
	if w, ok := env.(wrapper); ok {
		return As[T](w.Unwrap())
	}
	var none T
	return none, false
}

// HasActions reports whether an agent can act in env.
func HasActions(env Env) bool { return len(env.Actions()) > 0 }

// HasModel reports whether the dynamics of env are known, rather than only observed. It
// does not build the model.
func HasModel(env Env) bool {
	_, ok := As[ModelEnv](env)
	return ok
}

// HasEpisodes reports whether episodes of env ever end. Those of an environment whose
// states are discovered may end at any step.
func HasEpisodes(env Env) bool {
	if _, ok := As[GrowingEnv](env); ok {
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
	if !HasActions(env) {
		return true
	}
	_, steppable := As[SteppableEnv](env)
	m, modelled := As[ModelEnv](env)
	return steppable && modelled && m.Deterministic() && !HasEpisodes(env)
}

// StartState returns the state before the first step of a run in env, 0 if each iteration
// starts where the environment says.
func StartState(env Env) int {
	if e, ok := As[SteppableEnv](env); ok {
		return e.Start()
	}
	return 0
}

// BuildModel builds env's model, if it has one, unless ctx is done first. The model of a
// large environment takes a tenth of a second for each million states, for which
// [ModelEnv.Model] would block.
func BuildModel(ctx context.Context, env Env) error {
	if b, ok := As[modelBuilder](env); ok {
		return b.buildModel(ctx)
	}
	return ctx.Err()
}

// ExtendPolicies extends the policies of options to the states that env has discovered since
// they were learned, as [GrowingEnv.ExtendPolicies] does.
func ExtendPolicies(env Env, options []*schema.Option) {
	if e, ok := As[GrowingEnv](env); ok {
		e.ExtendPolicies(options)
	}
}
