package learn

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// close makes a policy terminate where nothing is known about what it does, and where it is known not to go on:
//
//   - in states that were not observed, or in which its action was never tried. That is pessimism about unknown
//     state-action pairs: a policy halts there (Kidambi, Rajeswaran, Netrapalli & Joachims, "MOReL: Model-Based Offline
//     Reinforcement Learning", NeurIPS 2020);
//   - in the states that it would go round in for ever by the observed transitions, its recurrent ones, as a linear q
//     lets a policy do that pushes against a wall.
//
// So by the observed transitions the option ends from every state in which it can start, with probability 1, which is
// what is proved of options if the model is known.
func (x *observingLearner) close(policy []int8) {
	for s, a := range policy {
		if a == schema.Terminate {
			continue
		}
		tried := false
		x.model.VisitOutcomes(s, int(a), func(int, bool) { tried = true })
		if !tried {
			policy[s] = schema.Terminate
		}
	}
	ends := TerminatingStates(x.model, policy)
	for _, s := range recurrentStates(x.model, policy, ends) {
		policy[s] = schema.Terminate
	}
}

// recurrentStates returns the states that a policy visits again and again once it is in one of them: those of the
// strongly connected components that it cannot leave, of the states from which it never ends. The components are found
// by Tarjan's algorithm (SIAM Journal on Computing 1, 1972).
func recurrentStates(m *envs.Model, policy []int8, ends []bool) []int {
	t := components{model: m, policy: policy, order: make([]int32, m.States), low: make([]int32, m.States),
		component: make([]int32, m.States)}
	for s := range policy {
		if !ends[s] && t.order[s] == 0 {
			t.visit(s)
		}
	}
	return t.recurrent
}

// components is the state of Tarjan's algorithm, with a stack of its own in place of recursion.
type components struct {
	model  *envs.Model
	policy []int8

	order, low []int32 // from 1 by first visit, 0 before; least order that is reached from a state in the stack
	component  []int32 // from 1, 0 before
	count      int32
	found      int32
	stack      []int // states without a component

	recurrent []int
}

// A frame is a state in visit, with those that its action leads to.
type frame struct {
	state int
	next  []int
}

func (t *components) visit(first int) {
	frames := []frame{t.enter(first)}
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if len(f.next) == 0 {
			t.leave(f.state)
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				below := frames[len(frames)-1].state
				t.low[below] = min(t.low[below], t.low[f.state])
			}
			continue
		}
		s := f.next[0]
		f.next = f.next[1:]
		switch {
		case t.order[s] == 0:
			frames = append(frames, t.enter(s))
		case t.component[s] == 0:
			t.low[f.state] = min(t.low[f.state], t.order[s])
		}
	}
}

func (t *components) enter(s int) frame {
	t.count++
	t.order[s], t.low[s] = t.count, t.count
	t.stack = append(t.stack, s)
	return frame{s, t.successors(s)}
}

func (t *components) successors(s int) (next []int) {
	t.model.VisitOutcomes(s, int(t.policy[s]), func(n int, _ bool) { next = append(next, n) })
	return next
}

// leave ends the visit of a state. The states above the first one of a component are the component.
func (t *components) leave(s int) {
	if t.low[s] != t.order[s] {
		return
	}
	at := len(t.stack) - 1
	for t.stack[at] != s {
		at--
	}
	t.found++
	members := t.stack[at:]
	for _, member := range members {
		t.component[member] = t.found
	}
	if !t.canLeave(members) {
		t.recurrent = append(t.recurrent, members...)
	}
	t.stack = t.stack[:at]
}

// canLeave reports whether the policy leads out of a component.
func (t *components) canLeave(members []int) bool {
	for _, s := range members {
		for _, next := range t.successors(s) {
			if t.component[next] != t.found {
				return true
			}
		}
	}
	return false
}
