package learn

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/podtrack/podtrack/pod/envs"
)

// run does up to the given number of sweeps for the potential w from v = 0,
//
//	v'(s) = max(0, max_a [w(s') − w(s) + γ v(s')]),
//
// the 0 being ⊥. It evaluates only states with a successor that the previous sweep changed, and those that it changed
// itself: all others would keep their bits, which v and next both hold. Once nothing changes, every further sweep would
// change nothing either.
func (s *sweeper) run(ctx context.Context, sweeps int64) error {
	clear(s.v)
	s.gatherAll(s.w)
	return s.sweepToFixedPoint(ctx, sweeps)
}

// sweepToFixedPoint does up to the given number of sweeps, starting from the current v.
func (s *sweeper) sweepToFixedPoint(ctx context.Context, sweeps int64) error {
	clear(s.nextFrontier)
	s.markAll(0, len(s.frontier))
	for changing := true; changing && sweeps > 0; sweeps-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if changing, err = s.sweep(ctx); err != nil {
			return err
		}
	}
	return nil
}

// markAll adds all states of the blocks from one to another to the frontier.
func (s *sweeper) markAll(from, to int) {
	for b := from; b < to; b++ {
		s.frontier[b] = everyState
	}
}

// partBlocks is the number of blocks that a sweep evaluates between two checks of the context. It is small enough for
// the lists of a part to stay in the cache.
const partBlocks = 1 << 12

// sweep evaluates the frontier and reports whether anything changed.
func (s *sweeper) sweep(ctx context.Context) (changing bool, err error) {
	for first := 0; first < len(s.frontier); first += partBlocks {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		blocks := s.listBlocks(first, min(first+partBlocks, len(s.frontier)))
		s.backup(first, blocks)
		if s.expandFrontier(blocks) {
			changing = true
		}
	}
	s.v, s.next = s.next, s.v
	s.frontier, s.nextFrontier = s.nextFrontier, s.frontier
	return changing, nil
}

// listBlocks returns the blocks from one to another that the frontier holds states of. Here
// and below, which those are is unpredictable, so that code that does not branch is faster.
func (s *sweeper) listBlocks(from, to int) []uint32 {
	blocks, n := s.blocks[:to-from], 0
	for i, states := range s.frontier[from:to] {
		blocks[n] = uint32(from + i)
		n += int((states | -states) >> 63)
	}
	return blocks[:n]
}

// backup sets next to the backup of v in every line of some blocks, from the given one on,
// that the frontier holds states of, and takes these out of it; job.changed receives the
// states that change.
func (s *sweeper) backup(first int, blocks []uint32) {
	lines, n := s.lines, 0
	for _, b := range blocks {
		s.Model.Gather(int(b), s.v)
		holding := bytesSet(s.frontier[b])
		s.frontier[b], s.job.changed[b] = 0, 0
		at := uint64(int(b)-first) * (blockLines * 0x0001_0001_0001_0001)
		binary.LittleEndian.PutUint64(lines[n:], linesOf[holding][0]+at)
		binary.LittleEndian.PutUint64(lines[n+8:], linesOf[holding][1]+at)
		n += 2 * bits.OnesCount8(holding)
	}
	s.job.first, s.job.lines = first, lines[:n]
	backup(&s.tables, &s.job)
}

// expandFrontier adds the states of some blocks that have changed, and all their
// predecessors, to the next frontier. It reports whether there are any.
func (s *sweeper) expandFrontier(blocks []uint32) bool {
	all := uint64(0)
	for _, b := range blocks {
		changed := s.job.changed[b]
		all |= changed
		s.nextFrontier[b] |= changed
		for _, v := range s.Model.MasksOf(int(b)) {
			s.nextFrontier[v.Block] |= v.PredecessorsOf(changed)
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

// lineStates is the number of states that are backed up together: a cache line holds eight
// float64.
const lineStates = 8

// blockLines is the number of lines of a block.
const blockLines = envs.BlockStates / lineStates

// A backupJob holds what a backup reads and writes besides the tables.
type backupJob struct {
	first   int     // a block, from whose first line on lines are counted
	lines   []byte  // the numbers of the lines to back up, 16 bits each
	offsets []int32 // the offsets of the model: see [envs.Model]
	actions int
	gamma   float64
	changed []uint64 // by block, receives the states that change, in the bits of its lines
}

// backup is [backupLines], vectorised where the processor has AVX2.
var backup = backupLines

// backupLines writes to next the backup of v in every line of a job.
//
// Whether a state changes is unpredictable, so the code does not branch on values: floats
// of which the largest is at least 0 are compared as integers.
func backupLines(t *tables, j *backupJob) {
	for lines := j.lines; len(lines) > 0; lines = lines[2:] {
		line := binary.LittleEndian.Uint16(lines)
		b, from := j.first+int(line/blockLines), int(line%blockLines*lineStates)
		changed := backupLine(t, b*envs.BlockStates, from, j.offsets[b*j.actions:(b+1)*j.actions], j.gamma)
		j.changed[b] = j.changed[b]&^(0xff<<from) | changed<<from
	}
}

// backupLine backs up the line that begins from states after first, the first state of a
// block; offsets[a] is where the tables hold the block's successors under action a, in
// order. It returns the states of the line whose value changes.
func backupLine(t *tables, first, from int, offsets []int32, gamma float64) (changed uint64) {
	at := first + from
	here, old, next := t.w[at:at+lineStates], t.v[at:at+lineStates], t.next[at:at+lineStates]
	var best [lineStates]int64
	for _, offset := range offsets {
		at := int(offset) + from
		w, v := t.w[at:at+lineStates], t.v[at:at+lineStates]
		for i := range best {
			best[i] = max(best[i], int64(math.Float64bits(w[i]-here[i]+float64(gamma*v[i]))))
		}
	}
	for i, x := range best {
		differs := uint64(0)
		if uint64(x) != math.Float64bits(old[i]) {
			differs = 1
		}
		changed |= differs << i
		next[i] = math.Float64frombits(uint64(x))
	}
	return changed
}
