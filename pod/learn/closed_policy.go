package learn

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// close makes a policy terminate in states where the effect of its action is unknown, or from which it would never
// terminate:
//
//   - in states that were not observed, or in which its action was never tried. That is pessimism about unknown
//     state-action pairs: a policy halts there (Kidambi, Rajeswaran, Netrapalli & Joachims, "MOReL: Model-Based Offline
//     Reinforcement Learning", NeurIPS 2020);
//   - in its recurrent states by the observed transitions, in which it would stay for ever. A linear q allows such a
//     policy: it may push against a wall.
//
// So by the observed transitions the option ends from every state in which it can start, with probability 1, which is
// what is proved of options if the model is known.
func (o *observingLearner) close(policy []int8) {
	for s, a := range policy {
		if a == schema.Terminate {
			continue
		}
		tried := false
		o.model.VisitSuccessors(s, int(a), func(envs.Successor) { tried = true })
		if !tried {
			policy[s] = schema.Terminate
		}
	}
	ends := TerminatingStates(o.model, policy)
	for _, s := range recurrentStates(o.model, policy, ends) {
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

func (c *components) visit(first int) {
	frames := []frame{c.enter(first)}
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if len(f.next) == 0 {
			c.leave(f.state)
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				below := frames[len(frames)-1].state
				c.low[below] = min(c.low[below], c.low[f.state])
			}
			continue
		}
		s := f.next[0]
		f.next = f.next[1:]
		switch {
		case c.order[s] == 0:
			frames = append(frames, c.enter(s))
		case c.component[s] == 0:
			c.low[f.state] = min(c.low[f.state], c.order[s])
		}
	}
}

func (c *components) enter(s int) frame {
	c.count++
	c.order[s], c.low[s] = c.count, c.count
	c.stack = append(c.stack, s)
	return frame{s, c.successors(s)}
}

func (c *components) successors(s int) (next []int) {
	c.model.VisitSuccessors(s, int(c.policy[s]), func(n envs.Successor) { next = append(next, int(n.Next)) })
	return next
}

// leave ends the visit of a state. The states above the first one of a component are the component.
func (c *components) leave(s int) {
	if c.low[s] != c.order[s] {
		return
	}
	at := len(c.stack) - 1
	for c.stack[at] != s {
		at--
	}
	c.found++
	members := c.stack[at:]
	for _, member := range members {
		c.component[member] = c.found
	}
	if !c.canLeave(members) {
		c.recurrent = append(c.recurrent, members...)
	}
	c.stack = c.stack[:at]
}

// canLeave reports whether the policy leads out of a component.
func (c *components) canLeave(members []int) bool {
	for _, s := range members {
		for _, next := range c.successors(s) {
			if c.component[next] != c.found {
				return true
			}
		}
	}
	return false
}
