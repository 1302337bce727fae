package pod

import "context"

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

// backup sets next to the backup of v in the given states of block b, and perhaps in
// others of it, and returns those that change.
func (sw *sweeper) backup(b int, states uint64) (changed uint64) {
	return backup(&sw.tables, b*blockStates, states, sw.model.offsetsOf(b), sw.gamma)
}

// expandFrontier adds changed states of a block, and all their predecessors, to the next
// frontier.
func (sw *sweeper) expandFrontier(b int, changed uint64) {
	sw.nextFrontier[b] |= changed
	for _, v := range sw.model.masksOf(b) {
		sw.nextFrontier[v.block] |= v.predecessorsOf(changed)
	}
}
