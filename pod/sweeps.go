package pod

import (
	"context"
	"math/bits"
)

// sweeper runs synchronous value iteration on a model. Its buffers serve one
// purpose after the other.
type sweeper struct {
	model *Model
	gamma float64
	tables

	frontier []uint64 // the blocks of which a state sees one that the last sweep changed, as bits
	coming   []uint64 // the same of the sweep under way

	labels *labels // nil before the first label setting
}

// tables are what a backup reads and writes: w, v and the v of the sweep under
// way. Each has an entry a state, 0 up to the end of the last block, and behind that
// copies of the successors that are scattered.
type tables struct{ w, v, next []float64 }

func newSweeper(m *Model, gamma float64) *sweeper {
	entries := m.entries()
	words := (m.blocks() + 63) / 64
	return &sweeper{
		model: m, gamma: gamma,
		tables:   tables{w: make([]float64, entries), v: make([]float64, entries), next: make([]float64, entries)},
		frontier: make([]uint64, words), coming: make([]uint64, words),
	}
}

// potential is where w is to be put.
func (sw *sweeper) potential() []float64 { return sw.w[:sw.model.States] }

// values are v.
func (sw *sweeper) values() []float64 { return sw.v[:sw.model.States] }

// run does the given number of sweeps for the potential w from v = 0,
//
//	v'(s) = max(0, max_a [w(s') − w(s) + γ v(s')]),
//
// the 0 being ⊥. It evaluates only blocks with a state that sees one which the
// sweep before changed, and blocks which that changed itself: all others would get
// the bits that they have, in v as in next. Where nothing changed, every further
// sweep would change nothing too.
func (sw *sweeper) run(ctx context.Context, sweeps int64) error {
	clear(sw.v)
	sw.gatherAll(sw.w)
	return sw.settle(ctx, sweeps)
}

// settle does sweeps from the v that there is.
func (sw *sweeper) settle(ctx context.Context, sweeps int64) error {
	clear(sw.coming)
	for b := range sw.model.blocks() {
		sw.frontier[b/64] |= 1 << (b % 64)
	}
	for changing := true; changing && sweeps > 0; sweeps-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		changing = sw.sweep()
	}
	return nil
}

// sweep evaluates the frontier, and reports whether anything changed.
func (sw *sweeper) sweep() bool {
	changing := false
	for i, blocks := range sw.frontier {
		sw.frontier[i] = 0
		for ; blocks != 0; blocks &= blocks - 1 {
			b := i*64 + bits.TrailingZeros64(blocks)
			sw.model.gather(b, sw.v)
			if changed := sw.backup(b); changed != 0 {
				sw.spread(b, changed)
				changing = true
			}
		}
	}
	sw.v, sw.next = sw.next, sw.v
	sw.frontier, sw.coming = sw.coming, sw.frontier
	return changing
}

// backup sets next to the backup of v in block b, and returns the states that change.
func (sw *sweeper) backup(b int) (changed uint64) {
	return backup(&sw.tables, b*blockStates, sw.model.placesOf(b), sw.gamma)
}

// gatherAll copies what is scattered of a table.
func (sw *sweeper) gatherAll(table []float64) {
	for b := range sw.model.blocks() {
		sw.model.gather(b, table)
	}
}

// spread puts a block with changed states, and all that see one of them, on the
// next frontier.
func (sw *sweeper) spread(b int, changed uint64) {
	sw.coming[b/64] |= 1 << (b % 64)
	for _, v := range sw.model.viewsOf(b) {
		if changed&v.states != 0 {
			sw.coming[v.seer/64] |= 1 << (v.seer % 64)
		}
	}
}

// load takes values that were swept before.
func (sw *sweeper) load(v []float64) {
	copy(sw.v, v)
	sw.gatherAll(sw.w)
}

// q sets q to one more backup of v in state s, one entry an action.
func (sw *sweeper) q(s int, q []float64) {
	here := sw.w[s]
	for a, n := range sw.model.successors(s) {
		q[a] = sw.w[n] - here + float64(sw.gamma*sw.v[n])
	}
}
