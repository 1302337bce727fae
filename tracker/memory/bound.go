package memory

import (
	"errors"
	"runtime/metrics"
)

// ErrNotEnough reports that something needs more memory than is available. It is no damage: a larger
// machine can read it.
var ErrNotEnough = errors.New("not enough memory")

// A bound limits the memory of this process.
type bound struct {
	free   int64  // bytes left
	remedy string // how to raise it
	hard   bool   // set for this process or its group, independent of other processes
}

// readHeapFree returns the bytes of the heap that are unused, with memory (held) and as addresses
// only (released).
func readHeapFree() (held, released int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64())
}
