package pod

import "math"

// lineStates is the number of states that are backed up together: a cache line holds eight
// float64.
const lineStates = 8

// backupBlock writes to next the backup of v in every cache line that holds any of the
// given states. The bits of states count from first, which begins a block; offsets[a] is
// where the tables hold the block's successors under action a, in order. It returns the
// states of those lines whose value changed.
//
// Whether a state changes is unpredictable, so the code does not branch on values: floats
// of which the largest is at least 0 are compared as integers.
func backupBlock(t *tables, first int, states uint64, offsets []int32, gamma float64) (changed uint64) {
	for from := 0; from < blockStates; from += lineStates {
		if states>>from&(1<<lineStates-1) != 0 {
			changed |= backupLine(t, first, from, offsets, gamma) << from
		}
	}
	return changed
}

// backupLine backs up the cache line that begins from states after first.
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
