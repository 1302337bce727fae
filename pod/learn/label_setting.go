package learn

import (
	"context"

	"github.com/podtrack/podtrack/pod/envs"
)

// labelsBytes is the memory of label setting per state, in bytes. Measured with rings of 2^22
// and 2^24 states as 70.
const labelsBytes = 64

// maxSettlingSweeps bounds the sweeps after label setting. Two or three suffice to undo
// the effect of rounding on the order of labels.
const maxSettlingSweeps = 1000

// runLabelSetting sets v to the fixed point of the sweeps, by label setting. With U = v +
// w the fixed point is
//
//	U(s) = max(w(s), max_a [γ U(s') + (1 − γ) w(s')]),
//
// where U(s') ≥ w(s'), so U(s) exceeds the largest U of the successors of s only if it is
// w(s) itself. Hence the largest U of all is a w, and the states get their U in descending
// order, each from those before it, as distances are found by Dijkstra's algorithm. It
// takes O(E + S log S). Sweeps until nothing changes remove what rounding may leave.
func (s *sweeper) runLabelSetting(ctx context.Context) error {
	clear(s.v)
	s.gatherAll(s.w)
	if s.labels == nil {
		s.labels = newLabelSetting(s.Model)
	}
	if err := s.labels.run(ctx, s); err != nil {
		return err
	}
	return s.sweepToFixedPoint(ctx, maxSettlingSweeps)
}

// run sets v of every state.
func (l *labelSetting) run(ctx context.Context, sw *sweeper) error {
	clear(l.final)
	l.queue = l.queue[:0]
	for s, u := range sw.potential() {
		l.push(label{u, int32(s)})
	}
	for done := 0; len(l.queue) > 0; done++ {
		if done%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s := l.pop().state; !l.final[s] {
			l.final[s] = true
			l.relaxPredecessors(sw, s)
		}
	}
	return nil
}

// relaxPredecessors offers each predecessor of s the value of going to s.
func (l *labelSetting) relaxPredecessors(sw *sweeper, s int32) {
	for _, p := range l.predecessors[l.from[s]:l.from[s+1]] {
		if l.final[p] {
			continue
		}
		if v := sw.w[s] - sw.w[p] + float64(sw.gamma*sw.v[s]); v > sw.v[p] {
			sw.v[p] = v
			l.push(label{sw.w[p] + v, p})
		}
	}
}

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
