package learn_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/schema"
)

// TestClosedOptionsEnd: by the observed transitions an option that is closed ends from every state in which it can
// start, whatever they and the features are, and it acts as the open one does or not at all.
func TestClosedOptionsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const states, actions = 8, 2
		w := unmodelledEnv{actions: actions}
		for range states {
			w.features = append(w.features, rapid.SliceOfN(rapid.Float64Range(-1, 1), 2, 2).Draw(t, "features"))
		}
		seen := learn.Experience{Transitions: drawMoves(t, states, actions)}
		vector := []float64{1, rapid.Float64Range(-1, 1).Draw(t, "e")}
		spec := learningSpec(schema.LSPI, 0.9, 20)
		_, _, err := optionLearner(t, w, spec, seen).Learn(t.Context(), schema.Purpose{J: 1, Sign: 1, Vector: vector})
		if errors.Is(err, learn.ErrNoWeights) {
			t.Skip("no weights")
		}
		open, _ := learned(t, w, spec, seen, vector)
		spec.Initiation = schema.StartObserved
		closed, _ := learned(t, w, spec, seen, vector)
		if c := closed.Certificate; !c.Closed || c.Termination != schema.Observed || open.Certificate.Closed {
			t.Fatalf("certificate %+v", c)
		}
		for s, a := range closed.Policy {
			if a != schema.Terminate && (a != open.Policy[s] || !endsFrom(closed, seen.Transitions, s)) {
				t.Fatalf("state %d has action %d, of %d; it does not end, in %v", s, a, open.Policy[s], seen.Transitions)
			}
		}
		closedAsFarAsPossible(t, open, closed, seen.Transitions)
	})
}

// endsFrom reports whether the policy can come to an end from a state within as many steps as there are states.
func endsFrom(o *schema.Option, transitions envs.TransitionCounts, state int) bool {
	at := map[int]bool{state: true}
	for range o.Policy {
		next := map[int]bool{}
		for _, m := range transitions {
			if at[int(m.State)] && o.Policy[m.State] == int8(m.Action) {
				if m.Terminal || o.Policy[m.Next] == schema.Terminate {
					return true
				}
				next[int(m.Next)] = true
			}
		}
		at = next
	}
	return false
}

// closedAsFarAsPossible checks that no state was given up in which the action of the open policy was tried, unless the
// policy comes back to it from everywhere that it leads to.
func closedAsFarAsPossible(t *rapid.T, open, closed *schema.Option, transitions envs.TransitionCounts) {
	for _, m := range transitions {
		a := open.Policy[m.State]
		if a != int8(m.Action) || closed.Policy[m.State] == a {
			continue
		}
		for s := range reached(open, transitions, int(m.State)) {
			if !reached(open, transitions, s)[int(m.State)] {
				t.Fatalf("state %d was given up, and the policy leaves it for %d", m.State, s)
			}
		}
	}
}

// reached returns the states that a policy leads to from a state, after a step or more.
func reached(o *schema.Option, transitions envs.TransitionCounts, from int) map[int]bool {
	seen := map[int]bool{}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, m := range transitions {
			if int(m.State) == queue[0] && o.Policy[m.State] == int8(m.Action) && !seen[int(m.Next)] {
				seen[int(m.Next)] = true
				queue = append(queue, int(m.Next))
			}
		}
	}
	return seen
}

// TestClosedOptionHalts: a linear q that grows to the right would go on to the right for ever. It ends in state 2, in
// which right leads nowhere else, and in state 3, which was not observed; it still leads to state 2.
func TestClosedOptionHalts(t *testing.T) {
	w := unmodelledEnv{features: [][]float64{{1, 0}, {2, 0}, {3, 0}, {4, 0}}, actions: 1}
	c := &schema.Transitions{Arity: 1, Actions: []uint8{0, 0}, Next: []uint32{1, 2}}
	seen := learn.Experience{Transitions: envs.CountTransitions(w, c), FirstChunk: c}
	loop := envs.CountedTransition{Count: 1, Transition: envs.Transition{State: 2, Next: 2}}
	seen.Transitions = seen.Transitions.Merge(envs.TransitionCounts{loop})
	spec := learningSpec(schema.QLearning, 0.9, 100)
	open, _ := learned(t, w, spec, seen, []float64{1, 0})
	spec.Initiation = schema.StartObserved
	closed, _ := learned(t, w, spec, seen, []float64{1, 0})
	for s, want := range []int8{0, 0, schema.Terminate, schema.Terminate} {
		if s < 3 && open.Policy[s] != 0 || closed.Policy[s] != want {
			t.Errorf("state %d: %d, closed %d, want %d", s, open.Policy[s], closed.Policy[s], want)
		}
	}
}
