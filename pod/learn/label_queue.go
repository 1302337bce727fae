package learn

import "github.com/podtrack/podtrack/pod/envs"

// labelSetting holds what label setting needs besides the tables.
type labelSetting struct {
	from, predecessors []int32 // predecessors[from[s]:from[s+1]] are the predecessors of s
	final              []bool
	queue              []label // a heap, the largest U first
}

// A label is a candidate for U of a state. It is out of date once the state has a larger
// one.
type label struct {
	u     float64
	state int32
}

func newLabelSetting(m *envs.Model) *labelSetting {
	l := &labelSetting{from: make([]int32, m.States+1), predecessors: make([]int32, len(m.AllSuccessors())),
		final: make([]bool, m.States)}
	for _, n := range m.AllSuccessors() {
		l.from[n+1]++
	}
	for s := range m.States {
		l.from[s+1] += l.from[s]
	}
	at := append([]int32(nil), l.from...)
	for edge, n := range m.AllSuccessors() {
		l.predecessors[at[n]] = int32(edge / m.Actions)
		at[n]++
	}
	return l
}

// precedes reports whether a comes before b: the largest U first, then the lowest state.
func (l label) precedes(b label) bool { return l.u > b.u || l.u == b.u && l.state < b.state }

func (l *labelSetting) push(x label) {
	l.queue = append(l.queue, x)
	q, i := l.queue, len(l.queue)-1
	for i > 0 && x.precedes(q[(i-1)/2]) {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = x
}

func (l *labelSetting) pop() label {
	first, last := l.queue[0], l.queue[len(l.queue)-1]
	l.queue = l.queue[:len(l.queue)-1]
	q, i := l.queue, 0
	for child := 1; child < len(q); child = 2*i + 1 {
		if child+1 < len(q) && q[child+1].precedes(q[child]) {
			child++
		}
		if !q[child].precedes(last) {
			break
		}
		q[i] = q[child]
		i = child
	}
	if len(q) > 0 {
		q[i] = last
	}
	return first
}
