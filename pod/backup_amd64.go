package pod

import "golang.org/x/sys/cpu"

// backup is [backupBlock], by vectors where the processor has them.
var backup = func() func(*tables, int, uint64, []int32, float64) uint64 {
	if cpu.X86.HasAVX2 && cpu.X86.HasBMI1 {
		return backupVectors
	}
	return backupBlock
}()

// backupVectors is [backupBlock], four states at a time. The places must be inside
// the tables.
func backupVectors(t *tables, first int, states uint64, places []int32, gamma float64) uint64 {
	if len(places) == 0 {
		return 0
	}
	return backupAVX2(&t.w[0], &t.v[0], &t.next[0], first, states, &places[0], len(places), gamma)
}

//go:noescape
func backupAVX2(w, v, next *float64, first int, states uint64, places *int32, actions int, gamma float64) uint64
