package envs

import "slices"

// predecessors returns, by state, the states from which some action may lead to it.
func (m *Model) predecessors() [][]int32 {
	predecessors := make([][]int32, m.States)
	for edge := range m.States * m.Actions {
		s := edge / m.Actions
		m.VisitSuccessors(s, edge%m.Actions, func(next int, _ float64) {
			predecessors[next] = append(predecessors[next], int32(s))
		})
	}
	return predecessors
}

// FewestStepsTo returns, by state, the fewest steps in which goal can be reached, −1 if it
// cannot.
func (m *Model) FewestStepsTo(goal int) []int {
	steps, predecessors := slices.Repeat([]int{-1}, m.States), m.predecessors()
	steps[goal] = 0
	for queue := []int{goal}; len(queue) > 0; queue = queue[1:] {
		for _, before := range predecessors[queue[0]] {
			if steps[before] < 0 {
				steps[before] = steps[queue[0]] + 1
				queue = append(queue, int(before))
			}
		}
	}
	return steps
}

// StatesReaching reports, by state, whether goal can be reached from it. The goal itself
// counts.
func (m *Model) StatesReaching(goal int) []bool {
	predecessors := m.predecessors()
	return searchBreadthFirst(goal, m.States, func(s int, visit func(int)) {
		for _, before := range predecessors[s] {
			visit(int(before))
		}
	})
}

// StatesReachableFrom reports, by state, whether it can be reached from start. The start
// itself counts.
func (m *Model) StatesReachableFrom(start int) []bool {
	return searchBreadthFirst(start, m.States, func(s int, visit func(int)) {
		for a := range m.Actions {
			m.VisitSuccessors(s, a, func(next int, _ float64) { visit(next) })
		}
	})
}

// StatesEntered reports, by state, whether an action may lead to it from another one.
func (m *Model) StatesEntered() []bool {
	entered := make([]bool, m.States)
	for edge := range m.States * m.Actions {
		s := edge / m.Actions
		m.VisitSuccessors(s, edge%m.Actions, func(next int, _ float64) { entered[next] = entered[next] || next != s })
	}
	return entered
}

// searchBreadthFirst reports, by state, whether a breadth-first search from start visits
// it.
func searchBreadthFirst(start, states int, neighbours func(s int, visit func(int))) []bool {
	seen := make([]bool, states)
	seen[start] = true
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		neighbours(queue[0], func(s int) {
			if !seen[s] {
				seen[s] = true
				queue = append(queue, s)
			}
		})
	}
	return seen
}
