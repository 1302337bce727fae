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

// Distances implements [Metric], by moves that do not slip, even if the slip is so large that these are not the
// likeliest.
func (g *Grid) Distances(s int) []int32 {
	m := g.Model()
	if !m.Deterministic() {
		m = newModel(g.States(), len(g.Actions()), g.Step)
	}
	return shortestPaths(m, s)
}

// Distances implements [Metric].
func (t *taxi) Distances(s int) []int32 { return shortestPaths(t.Model(), s) }

// shortestPaths returns the steps of the shortest path from s to each state, by breadth-first search over all that each
// action may lead to, or [Never] if there is none.
func shortestPaths(m *Model, s int) []int32 {
	d := make([]int32, m.States)
	for i := range d {
		d[i] = Never
	}
	d[s] = 0
	for queue := []int32{int32(s)}; len(queue) > 0; queue = queue[1:] {
		for a := range m.Actions {
			m.VisitSuccessors(int(queue[0]), a, func(n int, _ float64) {
				if d[n] == Never {
					d[n] = d[queue[0]] + 1
					queue = append(queue, int32(n))
				}
			})
		}
	}
	return d
}

// Never is the end state, and the number of steps to it, for a state from which a policy
// does not terminate.
const Never = -1
