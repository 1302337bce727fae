package learn

import (
	"github.com/podtrack/podtrack/pod/envs"
)

// A termTable has the terms of some states, by their place.
type termTable struct {
	starts     []int // of the terms of each state, and the end
	weights    []int32
	values     []float64 // nil if all are 1
	withoutOne bool      // the constant is left out
}

// newTermTable returns the terms of states of env. It counts them first, since there may be more of
// them than fit into memory twice.
func newTermTable(env envs.Env, states []int) termTable {
	n, ones := countTerms(env, states)
	t := termTable{starts: make([]int, 1, len(states)+1), weights: make([]int32, 0, n)}
	if !ones {
		t.values = make([]float64, 0, n)
	}
	visitTerms(env, states, func(terms envs.StateTerms) {
		t.weights = append(t.weights, terms.Weights...)
		for i := 0; !ones && i < len(terms.Weights); i++ {
			t.values = append(t.values, terms.Value(i))
		}
		t.starts = append(t.starts, len(t.weights))
	})
	return t
}

// countTerms returns the number of the terms of all of the states, and whether all values are 1.
func countTerms(env envs.Env, states []int) (n int64, ones bool) {
	ones = true
	visitTerms(env, states, func(terms envs.StateTerms) {
		n += int64(len(terms.Weights))
		for _, x := range terms.Values {
			ones = ones && x == 1
		}
	})
	return n, ones
}

// visitTerms visits the terms of states of env, which are valid until the next visit.
func visitTerms(env envs.Env, states []int, visit func(envs.StateTerms)) {
	var terms envs.StateTerms
	phi := make([]float64, len(env.Features()))
	for _, s := range states {
		setTerms(env, s, phi, &terms)
		visit(terms)
	}
}

// setTerms sets terms to those of a state. phi is scratch memory for its features.
func setTerms(env envs.Env, s int, phi []float64, terms *envs.StateTerms) {
	e, isExternal := env.(*envs.External)
	switch {
	case isExternal:
		e.FeatureTerms(s, 1, terms)
	case envs.HasStateFeatures(env):
		terms.Weights = append(terms.Weights[:0], int32(s+1))
	default:
		terms.Weights, terms.Values = terms.Weights[:0], terms.Values[:0]
		env.Observe(s, phi)
		for j, x := range phi {
			if x != 0 {
				terms.Weights, terms.Values = append(terms.Weights, int32(j+1)), append(terms.Values, x)
			}
		}
	}
	terms.Weights = append(terms.Weights, 0)
	if terms.Values != nil {
		terms.Values = append(terms.Values, 1)
	}
}

// of returns the terms of the state at a place.
func (t *termTable) of(place int) envs.StateTerms {
	from, to := t.starts[place], t.starts[place+1]
	if t.withoutOne {
		to--
	}
	terms := envs.StateTerms{Weights: t.weights[from:to]}
	if t.values != nil {
		terms.Values = t.values[from:to]
	}
	return terms
}

// estimateTermMemory returns the size of the terms of all observed states, in bytes.
func estimateTermMemory(env envs.Env, transitions envs.TransitionCounts) int64 {
	n, ones := countTerms(env, observedStates(transitions))
	if ones {
		return 4 * n
	}
	return 12 * n
}
