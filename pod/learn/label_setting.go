package learn

import "context"

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
