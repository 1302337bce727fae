package pod

import (
	"context"
)

// A sweeper runs synchronous value iteration on a model. It reuses its buffers for one
// purpose after the other.
type sweeper struct {
	model *Model
	gamma float64
	tables

	frontier     []uint64 // by block, the states that the last sweep changed, and their predecessors
	nextFrontier []uint64 // the same for the current sweep

	reward []float64 // by branch, for a stochastic model

	labels *labelSetting // nil before the first label setting
	paths  *policyPaths  // nil before the first certificate
}

// tables are what a backup reads and writes: w, v, and the v of the current sweep. Each
// has one entry for each state, 0 up to the end of the last block, and then copies of the
// successors that are scattered.
type tables struct{ w, v, next []float64 }

func newSweeper(m *Model, gamma float64) *sweeper {
	entries := m.tableSize()
	return &sweeper{
		model: m, gamma: gamma,
		tables:   tables{w: make([]float64, entries), v: make([]float64, entries), next: make([]float64, entries)},
		frontier: make([]uint64, m.blocks()), nextFrontier: make([]uint64, m.blocks()),
	}
}

// potential returns the memory for w, one entry for each state.
func (sw *sweeper) potential() []float64 { return sw.w[:sw.model.States] }

// values returns v, one entry for each state.
func (sw *sweeper) values() []float64 { return sw.v[:sw.model.States] }

// run does up to the given number of sweeps for the potential w from v = 0,
//
//	v'(s) = max(0, max_a [w(s') − w(s) + γ v(s')]),
//
// the 0 being ⊥. It evaluates only states with a successor that the previous sweep
// changed, and those that it changed itself: all others would get the bits that they have,
// in v as in next. Once nothing changes, every further sweep would change nothing either.
func (sw *sweeper) run(ctx context.Context, sweeps int64) error {
	clear(sw.v)
	sw.gatherAll(sw.w)
	return sw.sweepToFixedPoint(ctx, sweeps)
}

// sweepToFixedPoint does up to the given number of sweeps, starting from the current v.
func (sw *sweeper) sweepToFixedPoint(ctx context.Context, sweeps int64) error {
	clear(sw.nextFrontier)
	for b := range sw.frontier {
		sw.frontier[b] = everyState
	}
	for changing := true; changing && sweeps > 0; sweeps-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if changing, err = sw.sweep(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sweep evaluates the frontier and reports whether anything changed.
func (sw *sweeper) sweep(ctx context.Context) (changing bool, err error) {
	for b, states := range sw.frontier {
		if b%(1<<16) == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if states == 0 {
			continue
		}
		sw.frontier[b] = 0
		sw.model.gather(b, sw.v)
		if changed := sw.backup(b, states); changed != 0 {
			sw.expandFrontier(b, changed)
			changing = true
		}
	}
	sw.v, sw.next = sw.next, sw.v
	sw.frontier, sw.nextFrontier = sw.nextFrontier, sw.frontier
	return changing, nil
}

// everyState is the set of all states of a block.
const everyState = ^uint64(0)

// backup sets next to the backup of v in the given states of block b, and perhaps in
// others of it, and returns those that change.
func (sw *sweeper) backup(b int, states uint64) (changed uint64) {
	return backup(&sw.tables, b*blockStates, states, sw.model.offsetsOf(b), sw.gamma)
}

// gatherAll copies all scattered successors of a table.
func (sw *sweeper) gatherAll(table []float64) {
	for b := range sw.model.blocks() {
		sw.model.gather(b, table)
	}
}

// expandFrontier adds changed states of a block, and all their predecessors, to the next
// frontier.
func (sw *sweeper) expandFrontier(b int, changed uint64) {
	sw.nextFrontier[b] |= changed
	for _, v := range sw.model.masksOf(b) {
		sw.nextFrontier[v.block] |= v.predecessorsOf(changed)
	}
}

// loadValues sets v to values that were computed before.
func (sw *sweeper) loadValues(v []float64) {
	copy(sw.v, v)
	if !sw.model.Deterministic() {
		sw.setRewards()
		return
	}
	sw.gatherAll(sw.w)
}

// q sets q to one more backup of v in state s, one entry for each action.
func (sw *sweeper) q(s int, q []float64) {
	if !sw.model.Deterministic() {
		for a := range q {
			q[a] = sw.expectedBackup(s*sw.model.Actions + a)
		}
		return
	}
	here := sw.w[s]
	for a, n := range sw.model.successors(s) {
		q[a] = sw.w[n] - here + float64(sw.gamma*sw.v[n])
	}
}
