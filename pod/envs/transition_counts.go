package envs

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// A Transition is an observed transition.
type Transition struct {
	State, Next int32
	Action      uint8
	Terminal    bool // the episode ended in Next
}

// A CountedTransition is a transition and how often it was observed.
type CountedTransition struct {
	Transition
	Count int64
}

// TransitionCounts are the distinct observed transitions, ordered by state, action, next
// state, and those that end no episode first.
type TransitionCounts []CountedTransition

func CompareTransitions(a, b CountedTransition) int {
	return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Action, b.Action), cmp.Compare(a.Next, b.Next),
		compareEnds(a.Terminal, b.Terminal))
}

// A TransitionCounter counts transitions.
type TransitionCounter struct {
	seeds   [2]uint64 // so that nobody can choose transitions of the same hash
	index   hashIndex // of counted
	counted TransitionCounts
}

// NewTransitionCounter returns a counter of no transitions.
func NewTransitionCounter() *TransitionCounter {
	seed := maphash.MakeSeed()
	seeds := [2]uint64{maphash.String(seed, "states"), maphash.String(seed, "rest")}
	return &TransitionCounter{seeds: seeds, index: newHashIndex()}
}

// AddChunk counts the transitions of a chunk, whose states are those that steps leads to if it has none.
func (t *TransitionCounter) AddChunk(steps SteppableEnv, c *schema.Transitions) {
	VisitChunk(steps, c, func(m Transition, _ bool) { t.add(m, 1) })
}

// add counts a transition n times. Its hash is the xor of the halves of a product, which takes less than package
// maphash.
func (t *TransitionCounter) add(m Transition, n int64) {
	rest := uint64(m.Action)
	if m.Terminal {
		rest |= 1 << 8
	}
	high, low := bits.Mul64((uint64(m.State)<<32|uint64(uint32(m.Next)))^t.seeds[0], rest^t.seeds[1])
	hash := uint32((high ^ low) >> 32)
	for slot := t.index.first(hash); ; slot = t.index.next(slot) {
		i, matches := t.index.probe(hash, slot)
		switch {
		case i < 0:
			t.index.put(len(t.counted), hash, slot)
			t.counted = append(t.counted, CountedTransition{m, n})
			return
		case matches && t.counted[i].Transition == m:
			t.counted[i].Count += n
			return
		}
	}
}

// Counts returns what was counted so far.
func (t *TransitionCounter) Counts() TransitionCounts {
	counts := slices.Clone(t.counted)
	slices.SortFunc(counts, CompareTransitions)
	return counts
}

// VisitChunk calls visit for each transition of a chunk, and reports whether an episode ends
// after it. A chunk without states has those that steps leads to. The chunk's episodes are in the
// order of their steps, and the transition after the end of one begins in the state that it names.
func VisitChunk(steps SteppableEnv, c *schema.Transitions, visit func(m Transition, resets bool)) {
	s, episodes := int32(c.Start), c.Episodes
	for i, a := range c.Actions {
		m := Transition{State: s, Action: a}
		if c.Next == nil {
			m.Next = int32(steps.Step(int(s), int(a)))
		} else {
			m.Next = int32(c.Next[i])
		}
		s = m.Next
		resets := len(episodes) > 0 && episodes[0].Step == uint64(i+1)
		if resets {
			m.Terminal, s, episodes = episodes[0].Terminated, int32(episodes[0].State), episodes[1:]
		}
		visit(m, resets)
	}
}

// CountTransitions returns the transitions of a recorded chunk, whose states are those of
// env.
func CountTransitions(env Env, c *schema.Transitions) TransitionCounts {
	n := NewTransitionCounter()
	steps, _ := As[SteppableEnv](env)
	n.AddChunk(steps, c)
	return n.Counts()
}

// Merge returns the transitions of both m and other, their counts added up.
func (t TransitionCounts) Merge(other TransitionCounts) TransitionCounts {
	counts := NewTransitionCounter()
	for _, c := range slices.Concat(t, other) {
		counts.add(c.Transition, c.Count)
	}
	return counts.Counts()
}

// Dataset returns the D of the transitions: φ(s') − φ(s) as often as each was observed.
func (t TransitionCounts) Dataset(env Env) linalg.Dataset {
	difference, rows := NewDifference(env), make([]linalg.CountedRow, len(t))
	for i, c := range t {
		rows[i] = linalg.CountedRow{Row: difference(int(c.State), int(c.Next)), Count: c.Count}
	}
	return linalg.NewDataset(len(env.Features()), rows)
}

// TransitionsOf returns the transitions of a model, in their order.
func TransitionsOf(m *Model) TransitionCounts {
	all := make(TransitionCounts, 0, m.States*m.Actions)
	for s := range m.States {
		for a := range m.Actions {
			m.VisitSuccessors(s, a, func(n Successor) {
				all = append(all, CountedTransition{Transition{State: int32(s), Action: uint8(a), Next: n.Next,
					Terminal: n.Terminal}, n.Weight})
			})
		}
	}
	return all
}

// WithModel returns env with a model in place of its own. branches returns what an action may lead to in a state, given
// the transitions of that state and action.
func (t TransitionCounts) WithModel(env Env, branches func(s int, observed TransitionCounts) []Branch) ModelEnv {
	return estimatedEnv{env, NewStochasticModel(env.States(), len(env.Actions()), func(s, a int) []Branch {
		n := 0
		for n < len(t) && int(t[n].State) == s && int(t[n].Action) == a {
			n++
		}
		observed := t[:n]
		t = t[n:]
		return branches(s, observed)
	})}
}

// An estimatedEnv is an environment with a model that was estimated.
type estimatedEnv struct {
	Env
	model *Model
}

func (e estimatedEnv) Model() *Model       { return e.model }
func (e estimatedEnv) Deterministic() bool { return e.model.Deterministic() }
func (e estimatedEnv) Unwrap() Env         { return e.Env }
