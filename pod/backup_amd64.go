package pod

import "golang.org/x/sys/cpu"

// backup is [backupBlock], vectorised if the processor has AVX2.
var backup = func() func(*tables, int, uint64, []int32, float64) uint64 {
	if cpu.X86.HasAVX2 && cpu.X86.HasBMI1 {
		return backupVectors
	}
	return backupBlock
}()

// backupVectors does what [backupBlock] does, four states at a time. The offsets must lie
// within the tables.
func backupVectors(t *tables, first int, states uint64, offsets []int32, gamma float64) uint64 {
	if len(offsets) == 0 {
		return 0
	}
	return backupAVX2(&t.w[0], &t.v[0], &t.next[0], first, states, &offsets[0], len(offsets), gamma)
}

//go:noescape
func backupAVX2(w, v, next *float64, first int, states uint64, offsets *int32, actions int, gamma float64) uint64
