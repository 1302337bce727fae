package envs

import "slices"

// Never is the end state, and the number of steps to it, for a state from which a policy does not terminate, and the
// number of steps where there is no path.
const Never = -1

// CountSteps returns by state the steps of the shortest path from start, by breadth-first search, or [Never] if there
// is none. visitNext calls visit for the states that one step from s leads to.
func CountSteps(start, states int, visitNext func(s int, visit func(next int))) []int32 {
	steps := slices.Repeat([]int32{Never}, states)
	steps[start] = 0
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		visitNext(queue[0], func(next int) {
			if steps[next] == Never {
				steps[next] = steps[queue[0]] + 1
				queue = append(queue, next)
			}
		})
	}
	return steps
}

// StepsFrom returns by state the steps of the shortest path from start, over all that each action may lead to, or
// [Never] if there is none.
func (m *Model) StepsFrom(start int) []int32 { return CountSteps(start, m.States, m.visitNext) }

// StepsTo returns by state the fewest steps in which goal can be reached, or [Never] if it cannot.
func (m *Model) StepsTo(goal int) []int32 {
	predecessors := make([][]int, m.States)
	for s := range m.States {
		m.visitNext(s, func(next int) { predecessors[next] = append(predecessors[next], s) })
	}
	return CountSteps(goal, m.States, func(s int, visit func(int)) {
		for _, before := range predecessors[s] {
			visit(before)
		}
	})
}

// StatesEntered reports, by state, whether an action may lead to it from another one.
func (m *Model) StatesEntered() []bool {
	entered := make([]bool, m.States)
	for s := range m.States {
		m.visitNext(s, func(next int) { entered[next] = entered[next] || next != s })
	}
	return entered
}

// visitNext calls visit for each state that an action may lead to from s, for one action after the other.
func (m *Model) visitNext(s int, visit func(next int)) {
	for a := range m.Actions {
		m.VisitSuccessors(s, a, func(n Successor) { visit(int(n.Next)) })
	}
}
