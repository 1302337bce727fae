package envs

// CountReachable returns the number of states that a walk in env can visit from state from or from the start of an
// episode, and whether that number is known, which it is only in a simulated env. Where actions lead to one state it
// builds no model, but computes one step per state and action, or none on a ring.
func CountReachable(env Env, from int) (n int64, known bool) {
	e, known := As[SimulatedEnv](env)
	if !known {
		return 0, false
	}
	if _, ok := As[*Ring](env); ok {
		return int64(e.States()), true
	}
	seen, stack := NewVisitedSet(e.States()), []int32(nil)
	visit := func(s int) {
		if seen.Add(s) {
			stack = append(stack, int32(s))
		}
	}
	visit(from)
	episodic, hasEpisodes := As[Episodic](env)
	if hasEpisodes {
		for _, s := range episodic.StartStates() {
			visit(s)
		}
	}
	actions, deterministic := len(e.Actions()), e.Deterministic()
	for len(stack) > 0 {
		s := int(stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		if hasEpisodes && episodic.IsTerminal(s) {
			continue
		}
		for a := range actions {
			if deterministic {
				visit(e.Step(s, a))
			} else {
				e.Model().VisitSuccessors(s, a, func(n Successor) { visit(int(n.Next)) })
			}
		}
	}
	return seen.Len(), true
}

// A VisitedSet is a set of states that were visited, one bit each. Its zero value is empty.
type VisitedSet struct {
	words []uint64
	n     int64
}

// NewVisitedSet returns an empty set with room for the given number of states. It grows where
// more become known.
func NewVisitedSet(states int) VisitedSet { return VisitedSet{words: make([]uint64, (states+63)/64)} }

// Add adds a state and reports whether it was new.
func (v *VisitedSet) Add(s int) bool {
	word, bit := s/64, uint64(1)<<(s%64)
	if word >= len(v.words) {
		v.words = append(v.words, make([]uint64, word+1-len(v.words))...)
	}
	if v.words[word]&bit != 0 {
		return false
	}
	v.words[word] |= bit
	v.n++
	return true
}

// Has reports whether a state is in the set.
func (v *VisitedSet) Has(s int) bool { return s/64 < len(v.words) && v.words[s/64]>>(s%64)&1 == 1 }

// Len returns the number of states in the set.
func (v *VisitedSet) Len() int64 { return v.n }
