package tracker

import (
	"fmt"
	"testing"
)

// BenchmarkPutLevel names and compresses bytes like those of a value table, and incompressible
// bytes, at each level.
func BenchmarkPutLevel(b *testing.B) {
	for _, c := range []struct {
		name   string
		record []byte
	}{{"table", table(32<<10, 1)}, {"noise", randomBytes(32<<10, 1)}} {
		for level := 1; level <= 4; level++ {
			b.Run(fmt.Sprintf("%s/level=%d", c.name, level), func(b *testing.B) {
				s := New(b.TempDir()+"/podtrack.db", Options{Level: level})
				s.now = newClock().Now
				ok(b, s.Create(b.Context()))
				r, _ := acquire(b, closeAtEnd(b, s.StartWriter(b.Context())), 1, 1)
				b.SetBytes(int64(len(c.record)))
				for b.Loop() {
					name, err := r.Put(c.record)
					ok(b, err)
					delete(r.staged, name)
				}
			})
		}
	}
}

// BenchmarkAcquire takes and releases the lease of an existing run.
func BenchmarkAcquire(b *testing.B) {
	s, _ := newTestStore(b)
	w := closeAtEnd(b, s.StartWriter(b.Context()))
	for b.Loop() {
		r, _ := acquire(b, w, 1, 1)
		r.Release(nil)
	}
}

// BenchmarkCompact compacts a store of 64 runs. The time does not depend on the unused space.
func BenchmarkCompact(b *testing.B) {
	s, _ := newStoreOfRings.make(b)
	for b.Loop() {
		c, err := s.Compact(b.Context(), CompactOptions{})
		ok(b, err)
		b.SetBytes(c.Stored)
	}
}
