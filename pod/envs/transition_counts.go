package envs

import (
	"cmp"
	"maps"
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

func NewTransitionCounts(counts TransitionCounter) TransitionCounts {
	transitions := make(TransitionCounts, 0, len(counts))
	for m := range maps.Keys(counts) {
		transitions = append(transitions, CountedTransition{m, counts[m]})
	}
	slices.SortFunc(transitions, CompareTransitions)
	return transitions
}

// A TransitionCounter counts transitions.
type TransitionCounter map[Transition]int64

func (t TransitionCounter) AddChunk(steps SteppableEnv, c *schema.Transitions) {
	VisitChunk(steps, c, func(m Transition, _ bool) { t[m]++ })
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
	n := TransitionCounter{}
	steps, _ := As[SteppableEnv](env)
	n.AddChunk(steps, c)
	return NewTransitionCounts(n)
}

// Merge returns the transitions of both m and other, their counts added up.
func (t TransitionCounts) Merge(other TransitionCounts) TransitionCounts {
	counts := TransitionCounter{}
	for _, c := range slices.Concat(t, other) {
		counts[c.Transition] += c.Count
	}
	return NewTransitionCounts(counts)
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
			m.visitBranches(s, a, func(b Branch) {
				all = append(all, CountedTransition{Transition{State: int32(s), Action: uint8(a), Next: b.Next,
					Terminal: b.Terminal}, b.Weight})
			})
		}
	}
	return all
}
