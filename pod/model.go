package pod

// Model is the transition graph of a deterministic environment.
type Model struct {
	States, Actions int
	next            []int32 // next[s*Actions+a] is the successor

	// pred[from[s]:from[s+1]] are the predecessors of s, once an edge.
	from, pred []int32
}

// newModel tabulates step over all states and actions.
func newModel(states, actions int, step func(s, a int) int) *Model {
	m := &Model{States: states, Actions: actions, next: make([]int32, states*actions)}
	for s := range states {
		for a := range actions {
			m.next[s*actions+a] = int32(step(s, a))
		}
	}
	m.invert()
	return m
}

// invert fills the predecessor lists by a counting sort of the edges.
func (m *Model) invert() {
	m.from = make([]int32, m.States+1)
	for _, n := range m.next {
		m.from[n+1]++
	}
	for s := range m.States {
		m.from[s+1] += m.from[s]
	}
	m.pred = make([]int32, len(m.next))
	fill := append([]int32(nil), m.from...)
	for edge, n := range m.next {
		m.pred[fill[n]] = int32(edge / m.Actions)
		fill[n]++
	}
}

// Next is the successor of state s under action a.
func (m *Model) Next(s, a int) int { return int(m.next[s*m.Actions+a]) }

// successors of s, one an action.
func (m *Model) successors(s int) []int32 { return m.next[s*m.Actions : (s+1)*m.Actions] }

// predecessors of s, one an edge.
func (m *Model) predecessors(s int32) []int32 { return m.pred[m.from[s]:m.from[s+1]] }
