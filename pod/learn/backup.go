package learn

import (
	"encoding/binary"
	"github.com/podtrack/podtrack/pod/envs"
	"math"
)

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
