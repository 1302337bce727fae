package pod

import (
	"context"
	"math"
)

// sweeper runs synchronous value iteration on a model. Its buffers serve one
// purpose after the other.
type sweeper struct {
	model *Model
	gamma float64
	w, v  []float64

	discounted []float64 // γ v
	frontier   []int32   // states with a successor that the last sweep changed
	changed    []change
	queued     []int64 // the round in which a state was last put on the frontier
	round      int64   // one a sweep, over all purposes
}

type change struct {
	state int32
	value float64
}

// newSweeper makes room for a model. The lists have room for one entry more than
// there are states, since entries are written before it is known if they count.
func newSweeper(m *Model, gamma float64) *sweeper {
	return &sweeper{
		model: m, gamma: gamma,
		w: make([]float64, m.States), v: make([]float64, m.States), discounted: make([]float64, m.States),
		frontier: make([]int32, m.States+1), changed: make([]change, m.States+1), queued: make([]int64, m.States),
	}
}

// run does the given number of sweeps for the potential w from v = 0,
//
//	v'(s) = max(0, max_a [w(s') − w(s) + γ v(s')]),
//
// the 0 being ⊥. It evaluates only states with a successor that the sweep before
// changed: the others would get the bits that they have. Where nothing changed,
// every further sweep would change nothing too.
func (sw *sweeper) run(ctx context.Context, sweeps int64) error {
	clear(sw.v)
	clear(sw.discounted)
	sw.frontier = sw.frontier[:sw.model.States]
	for s := range sw.frontier {
		sw.frontier[s] = int32(s)
	}
	for ; sweeps > 0 && len(sw.frontier) > 0; sweeps-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		sw.evaluate()
		sw.apply()
	}
	return nil
}

// evaluate notes the backups of the frontier's states that differ from v.
// Whether one does is a coin toss to the processor, so there is no branch on it:
// every backup is written behind the changes and counts only if it differs, and
// floats of which the largest is at least 0 are compared as integers.
func (sw *sweeper) evaluate() {
	w, v, discounted := sw.w, sw.v, sw.discounted
	changed, n := sw.changed[:cap(sw.changed)], 0
	for _, s := range sw.frontier {
		best, here := int64(0), w[s]
		for _, next := range sw.model.successors(int(s)) {
			best = max(best, int64(math.Float64bits(w[next]-here+discounted[next])))
		}
		changed[n] = change{s, math.Float64frombits(uint64(best))}
		n += one(uint64(best) != math.Float64bits(v[s]))
	}
	sw.changed = changed[:n]
}

// apply writes the changes of a sweep and makes the states that see them the
// frontier, each once.
func (sw *sweeper) apply() {
	sw.round++
	v, discounted, queued := sw.v, sw.discounted, sw.queued
	frontier, n := sw.frontier[:cap(sw.frontier)], 0
	for _, c := range sw.changed {
		v[c.state] = c.value
		discounted[c.state] = float64(sw.gamma * c.value)
		for _, p := range sw.model.predecessors(c.state) {
			frontier[n] = p
			n += one(queued[p] != sw.round)
			queued[p] = sw.round
		}
	}
	sw.frontier = frontier[:n]
}

// one is 1 if so, and costs no branch.
func one(so bool) int {
	n := 0
	if so {
		n = 1
	}
	return n
}

// backup sets q to one more backup of v in state s, one entry an action.
func (sw *sweeper) backup(s int, q []float64) {
	here := sw.w[s]
	for a, n := range sw.model.successors(s) {
		q[a] = sw.w[n] - here + sw.discounted[n]
	}
}
