package pod

import (
	"context"
	"math"
	"math/bits"
)

// sweeper runs synchronous value iteration on a model. Its buffers serve one
// purpose after the other.
type sweeper struct {
	model *Model
	gamma float64

	cells    []cell
	v        []float64
	next     []float64 // v of the sweep under way, for the states of the frontier
	frontier []uint64  // by block, the states with a successor that the last sweep changed
	changed  []uint64  // by block, the states that the sweep under way changes
}

// cell is what a backup reads of a successor.
type cell struct {
	w          float64
	discounted float64 // γ v
}

func newSweeper(m *Model, gamma float64) *sweeper {
	return &sweeper{
		model: m, gamma: gamma,
		cells: make([]cell, m.States), v: make([]float64, m.States), next: make([]float64, m.States),
		frontier: make([]uint64, m.blocks()), changed: make([]uint64, m.blocks()),
	}
}

// run does the given number of sweeps for the potential w from v = 0,
//
//	v'(s) = max(0, max_a [w(s') − w(s) + γ v(s')]),
//
// the 0 being ⊥. It evaluates only states with a successor that the sweep before
// changed: the others would get the bits that they have. Where nothing changed,
// every further sweep would change nothing too.
func (sw *sweeper) run(ctx context.Context, w []float64, sweeps int64) error {
	clear(sw.v)
	for s, x := range w {
		sw.cells[s] = cell{w: x}
	}
	for b := range sw.frontier {
		sw.frontier[b] = sw.model.block(b)
	}
	for changing := true; changing && sweeps > 0; sweeps-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		sw.evaluate()
		changing = sw.apply()
	}
	return nil
}

// load takes values that were swept before.
func (sw *sweeper) load(w, v []float64) {
	for s, x := range w {
		sw.cells[s] = cell{w: x, discounted: float64(sw.gamma * v[s])}
	}
}

// evaluate backs up the states of the frontier.
func (sw *sweeper) evaluate() {
	for b, states := range sw.frontier {
		if states != 0 {
			sw.frontier[b] = 0
			sw.changed[b] = sw.evaluateBlock(b*blockStates, states)
		}
	}
}

// evaluateBlock returns which of the states, counted from first, get another
// value. Whether one does is a coin toss to the processor, so there is no branch
// on values: floats of which the largest is at least 0 are compared as integers.
func (sw *sweeper) evaluateBlock(first int, states uint64) (changed uint64) {
	cells := sw.cells
	for ; states != 0; states &= states - 1 {
		i := bits.TrailingZeros64(states)
		s := first + i
		best, here := int64(0), cells[s].w
		for _, n := range sw.model.successors(s) {
			to := &cells[n]
			best = max(best, int64(math.Float64bits(to.w-here+to.discounted)))
		}
		sw.next[s] = math.Float64frombits(uint64(best))
		differs := uint64(0)
		if uint64(best) != math.Float64bits(sw.v[s]) {
			differs = 1
		}
		changed |= differs << i
	}
	return changed
}

// apply writes the values that changed and makes the states that see them the
// frontier. It reports whether there were any.
func (sw *sweeper) apply() bool {
	any := false
	for b, changed := range sw.changed {
		if changed == 0 {
			continue
		}
		any, sw.changed[b] = true, 0
		for _, v := range sw.model.viewsOf(b) {
			sw.frontier[v.seer] |= v.shifted(changed & v.states)
		}
		for ; changed != 0; changed &= changed - 1 {
			s := b*blockStates + bits.TrailingZeros64(changed)
			sw.v[s] = sw.next[s]
			sw.cells[s].discounted = float64(sw.gamma * sw.next[s])
		}
	}
	return any
}

// backup sets q to one more backup of v in state s, one entry an action.
func (sw *sweeper) backup(s int, q []float64) {
	here := sw.cells[s].w
	for a, n := range sw.model.successors(s) {
		q[a] = sw.cells[n].w - here + sw.cells[n].discounted
	}
}
