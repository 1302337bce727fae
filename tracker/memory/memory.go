package memory

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// ErrNotEnough means that an operation needs more memory than is available. Nothing is damaged: a larger
// machine can do it.
var ErrNotEnough = errors.New("not enough memory")

// A bound limits the memory of this process.
type bound struct {
	free   int64  // bytes left
	remedy string // how to raise it
	hard   bool   // set for this process or its control group, whatever other processes use
}

// readHeapFree returns the unused bytes of the heap: those that have memory (held), and those that are only
// addresses (released).
func readHeapFree() (held, released int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64())
}

// smallMemory is the size in bytes below which Check does not read the limits, since that reads several files.
const smallMemory = 16 << 20

// Check returns [ErrNotEnough] if this process cannot allocate need more bytes, as far as the system tells. It
// reserves nothing.
func Check(need int64) error { return checkWithin(readLimits, need) }

// checkWithin implements [Check] within the limits that read returns.
func checkWithin(read func() []bound, need int64) error {
	if need < smallMemory {
		return nil
	}
	if limit, known := lowestLimit(read()); !known || need <= limit.free {
		return nil
	}
	debug.FreeOSMemory() // garbage counts as used until it is collected
	if limit, known := lowestLimit(read()); known && need > limit.free {
		return schema.Hint(fmt.Errorf("%w: at least %d MiB are needed, and %d are free", ErrNotEnough, need>>20,
			limit.free>>20), "%s", limit.remedy)
	}
	return nil
}

// Dropped frees n bytes that have just become garbage, if they are many. By itself the collector waits until the heap
// has doubled, which it need not do before memory runs out.
func Dropped(n int64) {
	if n >= largeGarbage {
		debug.FreeOSMemory()
	}
}

// largeGarbage is the size in bytes from which Dropped collects garbage.
const largeGarbage = 32 << 20

// A Meter checks memory that is allocated in many parts, each of which is too small for [Check]. Its zero value
// is ready for use.
type Meter struct{ unasked int64 }

// Take returns [ErrNotEnough] if this process cannot allocate n more bytes, as [Check] does.
func (m *Meter) Take(n int64) error {
	if m.unasked -= n; m.unasked >= 0 {
		return nil
	}
	m.unasked = smallMemory
	return Check(n + smallMemory)
}

// Free returns the number of bytes that this process can still allocate, if the system tells.
func Free() (free int64, known bool) {
	limit, known := lowestLimit(readLimits())
	return limit.free, known
}

// FreeUnderLimits returns the number of bytes that this process can still allocate within the limits set for
// it, whatever other processes use. known is false if no limit is set.
func FreeUnderLimits() (free int64, known bool) {
	limit, known := lowestLimit(slices.DeleteFunc(readLimits(), func(b bound) bool { return !b.hard }))
	return limit.free, known
}

func lowestLimit(limits []bound) (least bound, known bool) {
	if len(limits) == 0 {
		return bound{}, false
	}
	return slices.MinFunc(limits, func(a, b bound) int { return cmp.Compare(a.free, b.free) }), true
}
