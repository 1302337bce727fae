package envs

import (
	"fmt"
	"sync"

	"github.com/podtrack/podtrack/schema"
)

// tabular wraps an environment for methods on states: it has one feature for each state, 1 there and 0 elsewhere. D is
// then the method's matrix.
type tabular struct {
	SimulatedEnv
	names func() []string
}

func NewTabular(env SimulatedEnv) *tabular {
	return &tabular{env, sync.OnceValue(func() []string {
		if named, ok := As[stateNamer](env); ok {
			return namesOf(env.States(), named.StateName)
		}
		return namesOf(env.States(), stateName)
	})}
}

// Unwrap returns the environment that v shows.
func (t *tabular) Unwrap() Env { return t.SimulatedEnv }

// Features implements [Env]: the names of the states.
func (t *tabular) Features() []string { return t.names() }

func stateName(s int) string { return fmt.Sprintf("state%d", s) }

// Observe implements [Env].
func (t *tabular) Observe(s int, dst []float64) { observeState(s, dst) }

// Potential implements [Env].
func (t *tabular) Potential(e, w []float64) { copy(w, e) }

// HasStateFeatures reports whether feature s is 1 in state s alone.
func HasStateFeatures(env Env) bool {
	switch e := env.(type) {
	case *tabular, *tabularObservations:
		return true
	case *Grid:
		return e.graph.Observe == nil
	case *graphEnv:
		return e.graph.Observe == nil
	case *guardedEnv:
		return HasStateFeatures(e.env)
	}
	return false
}

// observeState sets dst to the features of a state where each state has its own.
func observeState(s int, dst []float64) {
	clear(dst)
	dst[s] = 1
}

// tabularObservations wraps an environment whose states are discovered for methods on states: it has one feature for
// each state so far. A purpose has as many entries as states were known when it was discovered, and is 0 in states
// beyond.
type tabularObservations struct {
	GrowingEnv
	names *[]string // of the states so far, shared by prefixes
}

func NewTabularObservations(env GrowingEnv) *tabularObservations {
	return &tabularObservations{GrowingEnv: env, names: &[]string{}}
}

// Unwrap returns the environment that v shows.
func (t *tabularObservations) Unwrap() Env { return t.GrowingEnv }

// Prefix implements [GrowingEnv].
func (t *tabularObservations) Prefix(n int) GrowingEnv {
	return &tabularObservations{GrowingEnv: t.GrowingEnv.Prefix(n), names: t.names}
}

// Features implements [Env]: the names of the states.
func (t *tabularObservations) Features() []string {
	n := t.States()
	for s := len(*t.names); s < n; s++ {
		*t.names = append(*t.names, stateName(s))
	}
	return (*t.names)[:n:n]
}

// Observe implements [Env].
func (t *tabularObservations) Observe(s int, dst []float64) { observeState(s, dst) }

// Potential implements [Env], for as many of the states as w has room for.
func (t *tabularObservations) Potential(e, w []float64) { clear(w[copy(w, e):]) }

// ExtendPolicies implements [GrowingEnv]: in a state without a weight of its own only the constant's
// weights tell actions apart.
func (t *tabularObservations) ExtendPolicies(options []*schema.Option) {
	extendPolicies(t, options, func(int, *StateTerms) {})
}

// FitsFeatures reports whether a vector of n entries can be a purpose in env: it has one for each
// feature or, if these are states that are discovered, at most so many.
func FitsFeatures(env Env, n int) bool {
	features := len(env.Features())
	return n == features || n < features && FeaturesGrow(env)
}

// FeaturesGrow reports whether the features of env are states that are discovered, so that later
// purposes have more entries.
func FeaturesGrow(env Env) bool {
	_, ok := env.(*tabularObservations)
	return ok
}
