package pod

// A termTable has the terms of some states, by their place.
type termTable struct {
	starts     []int // of the terms of each state, and the end
	weights    []int32
	values     []float64 // nil if all are 1
	withoutOne bool      // the constant is left out
}

// newTermTable returns the terms of states of env. It counts them first, since there may be more of
// them than fit into memory twice.
func newTermTable(env Env, states []int) termTable {
	n, ones := countTerms(env, states)
	t := termTable{starts: make([]int, 1, len(states)+1), weights: make([]int32, 0, n)}
	if !ones {
		t.values = make([]float64, 0, n)
	}
	visitTerms(env, states, func(terms stateTerms) {
		t.weights = append(t.weights, terms.weights...)
		for i := 0; !ones && i < len(terms.weights); i++ {
			t.values = append(t.values, terms.value(i))
		}
		t.starts = append(t.starts, len(t.weights))
	})
	return t
}

// countTerms returns the number of the terms of all of the states, and whether all values are 1.
func countTerms(env Env, states []int) (n int64, ones bool) {
	ones = true
	visitTerms(env, states, func(terms stateTerms) {
		n += int64(len(terms.weights))
		for _, x := range terms.values {
			ones = ones && x == 1
		}
	})
	return n, ones
}

// visitTerms visits the terms of states of env, which are valid until the next visit.
func visitTerms(env Env, states []int, visit func(stateTerms)) {
	var terms stateTerms
	phi := make([]float64, len(env.Features()))
	for _, s := range states {
		setTerms(env, s, phi, &terms)
		visit(terms)
	}
}

// setTerms sets terms to those of a state. phi is scratch memory for its features.
func setTerms(env Env, s int, phi []float64, terms *stateTerms) {
	e, isExternal := env.(*External)
	switch {
	case isExternal:
		e.featureTerms(s, 1, terms)
	case hasStateFeatures(env):
		terms.weights = append(terms.weights[:0], int32(s+1))
	default:
		terms.weights, terms.values = terms.weights[:0], terms.values[:0]
		env.Observe(s, phi)
		for j, x := range phi {
			if x != 0 {
				terms.weights, terms.values = append(terms.weights, int32(j+1)), append(terms.values, x)
			}
		}
	}
	terms.weights = append(terms.weights, 0)
	if terms.values != nil {
		terms.values = append(terms.values, 1)
	}
}

// of returns the terms of the state at a place.
func (t *termTable) of(place int) stateTerms {
	from, to := t.starts[place], t.starts[place+1]
	if t.withoutOne {
		to--
	}
	terms := stateTerms{weights: t.weights[from:to]}
	if t.values != nil {
		terms.values = t.values[from:to]
	}
	return terms
}

// estimateTermMemory returns the size of the terms of all observed states, in bytes.
func estimateTermMemory(env Env, transitions TransitionCounts) int64 {
	n, ones := countTerms(env, observedStates(transitions))
	if ones {
		return 4 * n
	}
	return 12 * n
}
