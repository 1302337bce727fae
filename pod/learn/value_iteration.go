package learn

import (
	"context"
	"encoding/binary"
	"math/bits"
)

// run does up to the given number of sweeps for the potential w from v = 0,
//
//	v'(s) = max(0, max_a [w(s') − w(s) + γ v(s')]),
//
// the 0 being ⊥. It evaluates only states with a successor that the previous sweep changed, and those that it changed
// itself: all others would keep their bits, which v and next both hold. Once nothing changes, every further sweep would
// change nothing either.
func (sw *sweeper) run(ctx context.Context, sweeps int64) error {
	clear(sw.v)
	sw.gatherAll(sw.w)
	return sw.sweepToFixedPoint(ctx, sweeps)
}

// sweepToFixedPoint does up to the given number of sweeps, starting from the current v.
func (sw *sweeper) sweepToFixedPoint(ctx context.Context, sweeps int64) error {
	clear(sw.nextFrontier)
	sw.markAll(0, len(sw.frontier))
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

// markAll adds all states of the blocks from one to another to the frontier.
func (sw *sweeper) markAll(from, to int) {
	for b := from; b < to; b++ {
		sw.frontier[b] = everyState
	}
}

// partBlocks is the number of blocks that a sweep evaluates at a time, so that what it
// notes of them stays in the cache, and between two checks of the context.
const partBlocks = 1 << 12

// sweep evaluates the frontier and reports whether anything changed.
func (sw *sweeper) sweep(ctx context.Context) (changing bool, err error) {
	for first := 0; first < len(sw.frontier); first += partBlocks {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		blocks := sw.listBlocks(first, min(first+partBlocks, len(sw.frontier)))
		sw.backup(first, blocks)
		if sw.expandFrontier(blocks) {
			changing = true
		}
	}
	sw.v, sw.next = sw.next, sw.v
	sw.frontier, sw.nextFrontier = sw.nextFrontier, sw.frontier
	return changing, nil
}

// listBlocks returns the blocks from one to another that the frontier holds states of. Here
// and below, which those are is unpredictable, so that code that does not branch is faster.
func (sw *sweeper) listBlocks(from, to int) []uint32 {
	blocks, n := sw.blocks[:to-from], 0
	for i, states := range sw.frontier[from:to] {
		blocks[n] = uint32(from + i)
		n += int((states | -states) >> 63)
	}
	return blocks[:n]
}

// backup sets next to the backup of v in every line of some blocks, from the given one on,
// that the frontier holds states of, and takes these out of it; job.changed receives the
// states that change.
func (sw *sweeper) backup(first int, blocks []uint32) {
	lines, n := sw.lines, 0
	for _, b := range blocks {
		sw.Model.Gather(int(b), sw.v)
		holding := bytesSet(sw.frontier[b])
		sw.frontier[b], sw.job.changed[b] = 0, 0
		at := uint64(int(b)-first) * (blockLines * 0x0001_0001_0001_0001)
		binary.LittleEndian.PutUint64(lines[n:], linesOf[holding][0]+at)
		binary.LittleEndian.PutUint64(lines[n+8:], linesOf[holding][1]+at)
		n += 2 * bits.OnesCount8(holding)
	}
	sw.job.first, sw.job.lines = first, lines[:n]
	backup(&sw.tables, &sw.job)
}

// expandFrontier adds the states of some blocks that have changed, and all their
// predecessors, to the next frontier. It reports whether there are any.
func (sw *sweeper) expandFrontier(blocks []uint32) bool {
	all := uint64(0)
	for _, b := range blocks {
		changed := sw.job.changed[b]
		all |= changed
		sw.nextFrontier[b] |= changed
		for _, v := range sw.Model.MasksOf(int(b)) {
			sw.nextFrontier[v.Block] |= v.PredecessorsOf(changed)
		}
	}
	return all != 0
}

// bytesSet returns which bytes of x are not 0, one bit each.
func bytesSet(x uint64) uint8 {
	const low = 0x7f7f7f7f7f7f7f7f
	return uint8(((x&low + low | x) >> 7 & 0x0101010101010101) * 0x0102040810204080 >> 56)
}

// linesOf[set] begins with the elements of a set of the lines of a block, 16 bits each.
var linesOf = func() (of [1 << blockLines][2]uint64) {
	for set := range of {
		n := 0
		for line := range blockLines {
			if set>>line&1 == 1 {
				of[set][n/4] |= uint64(line) << (n % 4 * 16)
				n++
			}
		}
	}
	return of
}()
