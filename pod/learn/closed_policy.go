package learn

import (
	"slices"

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
// by the algorithm of Sharir (Computers & Mathematics with Applications 7, 1981): in the reverse of the order in which
// a depth-first search against the policy leaves the states, what a state leads to is its component, and components
// that were found before.
func recurrentStates(m *envs.Model, policy []int8, ends []bool) (recurrent []int) {
	next, before := make([][]int, m.States), make([][]int, m.States)
	for s, a := range policy {
		if !ends[s] {
			m.VisitSuccessors(s, int(a), func(n envs.Successor) {
				next[s], before[n.Next] = append(next[s], int(n.Next)), append(before[n.Next], s)
			})
		}
	}
	component, found := make([]int, m.States), 0 // from 1, 0 for none yet
	for _, first := range slices.Backward(leavingOrder(before)) {
		if ends[first] || component[first] > 0 {
			continue
		}
		found++
		component[first] = found
		members, canLeave := []int{first}, false
		for i := 0; i < len(members); i++ {
			for _, s := range next[members[i]] {
				if component[s] == 0 {
					component[s] = found
					members = append(members, s)
				}
				canLeave = canLeave || component[s] != found
			}
		}
		if !canLeave {
			recurrent = append(recurrent, members...)
		}
	}
	return recurrent
}

// leavingOrder returns the nodes of a graph in the order in which a depth-first search leaves them.
func leavingOrder(next [][]int) (order []int) {
	entered := make([]bool, len(next))
	for first := range next {
		for stack := []int{first}; len(stack) > 0; {
			node := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			switch {
			case node < 0: // all that it leads to was left
				order = append(order, ^node)
			case !entered[node]:
				entered[node] = true
				stack = append(append(stack, ^node), next[node]...)
			}
		}
	}
	return order
}
