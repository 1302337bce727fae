package envs

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
