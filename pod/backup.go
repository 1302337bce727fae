package pod

import "math"

// backupBlock sets next to the backup of v in the block of states from first on,
// of which t has the successors under action a in order from places[a] on. It
// returns the states, counted from first, of which next is not v.
//
// Whether a state changes is a coin toss to the processor, so there is no branch
// on values: floats of which the largest is at least 0 are compared as integers.
func backupBlock(t *tables, first int, places []int32, gamma float64) (changed uint64) {
	here := t.w[first : first+blockStates]
	old, next := t.v[first:first+blockStates], t.next[first:first+blockStates]
	var best [blockStates]int64
	for _, at := range places {
		w, v := t.w[at:int(at)+blockStates], t.v[at:int(at)+blockStates]
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
