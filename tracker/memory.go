package tracker

import (
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"

	"github.com/podtrack/podtrack/schema"
)

// ErrMemory says that something is larger than the memory that there is for it.
// It is no damage: a larger machine can do it.
var ErrMemory = errors.New("not enough memory")

// smallMemory is what is taken without asking, in bytes: asking reads half a dozen
// files, and nobody runs with so little left.
const smallMemory = 16 << 20

// A memoryLimit is something that bounds the memory of this process.
type memoryLimit struct {
	free   int64  // bytes that it leaves
	remedy string // how to raise it
	hard   bool   // set for this process or its group, and not by what others take
}

// CheckMemory refuses to take need bytes of memory where this process cannot have
// them, as far as the system tells. It looks ahead, and reserves nothing: a number out
// of a store or a spec shall be answered, not end the process.
func CheckMemory(need int64) error {
	if need < smallMemory {
		return nil
	}
	if limit, known := lowestLimit(memoryLimits()); !known || need <= limit.free {
		return nil
	}
	debug.FreeOSMemory() // what is garbage counts as taken until it is collected
	if limit, known := lowestLimit(memoryLimits()); known && need > limit.free {
		return schema.Hint(fmt.Errorf("%w: it takes at least %d MiB, and %d are free", ErrMemory, need>>20, limit.free>>20), "%s", limit.remedy)
	}
	return nil
}

// FreeMemory returns how many bytes this process can still have, if the system tells.
func FreeMemory() (free int64, known bool) {
	limit, known := lowestLimit(memoryLimits())
	return limit.free, known
}

// FreeMemoryUnderLimits returns how many bytes this process can still have by the limits that
// were set for it, whatever others take; known is false where none was.
func FreeMemoryUnderLimits() (free int64, known bool) {
	var hard []memoryLimit
	for _, limit := range memoryLimits() {
		if limit.hard {
			hard = append(hard, limit)
		}
	}
	limit, known := lowestLimit(hard)
	return limit.free, known
}

func lowestLimit(limits []memoryLimit) (least memoryLimit, known bool) {
	for i, limit := range limits {
		if i == 0 || limit.free < least.free {
			least = limit
		}
	}
	return least, len(limits) > 0
}

// readHeapFree returns the bytes of the heap that nothing is in: those that still have
// memory, and those that are addresses alone.
func readHeapFree() (held, released int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64())
}
