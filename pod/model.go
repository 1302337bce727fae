package pod

// Model is the transition graph of a deterministic environment.
type Model struct {
	States, Actions int
	next            []int32 // next[s*Actions+a] is the successor

	// views[from[b]:from[b+1]] say who sees block b, 64 states in a row.
	from  []int32
	views []view
}

// A view says that state i of a block has a predecessor i + shift in block seer,
// for every i in states. Graphs have few views, since most of their edges lead
// to neighbours: a ring has four a block.
type view struct {
	seer   int32
	shift  int32
	states uint64
}

const blockStates = 64

// newModel tabulates step over all states and actions.
func newModel(states, actions int, step func(s, a int) int) *Model {
	m := &Model{States: states, Actions: actions, next: make([]int32, states*actions)}
	for s := range states {
		for a := range actions {
			m.next[s*actions+a] = int32(step(s, a))
		}
	}
	m.look()
	return m
}

// look fills the views.
func (m *Model) look() {
	lists := make([][]view, m.blocks())
	total := 0
	for edge, n := range m.next {
		s, seen := edge/m.Actions, n/blockStates
		v := view{seer: int32(s / blockStates), shift: int32(s%blockStates) - n%blockStates, states: 1 << (n % blockStates)}
		if !merge(lists[seen], v) {
			lists[seen] = append(lists[seen], v)
			total++
		}
	}
	m.from, m.views = make([]int32, 1, len(lists)+1), make([]view, 0, total)
	for _, list := range lists {
		m.views = append(m.views, list...)
		m.from = append(m.from, int32(len(m.views)))
	}
}

// merge adds the view to one of the same seer and shift.
func merge(list []view, v view) bool {
	for i := range list {
		if list[i].seer == v.seer && list[i].shift == v.shift {
			list[i].states |= v.states
			return true
		}
	}
	return false
}

// shifted moves a set of states of a block to where the view sees them from.
func (v view) shifted(states uint64) uint64 {
	if v.shift < 0 {
		return states >> -v.shift
	}
	return states << v.shift
}

func (m *Model) blocks() int { return (m.States + blockStates - 1) / blockStates }

// block is the set of states of block b: all 64, but for the last block.
func (m *Model) block(b int) uint64 {
	return ^uint64(0) >> max(0, (b+1)*blockStates-m.States)
}

// viewsOf says who sees block b.
func (m *Model) viewsOf(b int) []view { return m.views[m.from[b]:m.from[b+1]] }

// Next is the successor of state s under action a.
func (m *Model) Next(s, a int) int { return int(m.next[s*m.Actions+a]) }

// successors of s, one an action.
func (m *Model) successors(s int) []int32 { return m.next[s*m.Actions : (s+1)*m.Actions] }
