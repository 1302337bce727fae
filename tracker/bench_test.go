package tracker

import (
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// table returns a record like a value table of 4096 states, which compresses tenfold.
func table(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		if i%8 < 2 {
			b[i] = byte(i/512)*7 + seed
		}
	}
	return b
}

func BenchmarkOpenClose(b *testing.B) {
	s, _, _ := newStoreWithRun(b, "record")
	for b.Loop() {
		ok(b, s.View(b.Context(), func(*Tx) error { return nil }))
	}
}

func BenchmarkCommit(b *testing.B) {
	for _, size := range []int{0, 64 << 10, 4 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s, _ := newTestStore(b)
			w := closeAtEnd(b, s.StartWriter(b.Context()))
			r, _ := acquire(b, w, 1, 1)
			b.SetBytes(int64(size))
			for k := 0; b.Loop(); k++ {
				it := schema.Iteration{Records: entries()}
				if size > 0 {
					b.StopTimer()
					name, err := r.Put(randomBytes(size, uint64(k)))
					ok(b, err)
					it.Records = entries(name)
					b.StartTimer()
				}
				ok(b, r.SealIteration(k, it, Cost{}))
				ok(b, w.Flush(b.Context()))
			}
		})
	}
}

func BenchmarkRecord(b *testing.B) {
	record := table(32<<10, 1)
	s, _, name := newStoreWithRun(b, string(record))
	b.SetBytes(int64(len(record)))
	ok(b, s.View(b.Context(), func(tx *Tx) error {
		for b.Loop() {
			_, err := tx.ReadRecord(name)
			ok(b, err)
		}
		return nil
	}))
}

func BenchmarkPutRecord(b *testing.B) {
	s, _ := newTestStore(b)
	r, _ := acquire(b, closeAtEnd(b, s.StartWriter(b.Context())), 1, 1)
	record := table(32<<10, 1)
	b.SetBytes(int64(len(record)))
	for b.Loop() {
		name, err := r.Put(record)
		ok(b, err)
		delete(r.staged, name)
	}
}

func BenchmarkHead(b *testing.B) {
	s, _, _ := newStoreWithRun(b, "record")
	id := runID(b, 1)
	ok(b, s.View(b.Context(), func(tx *Tx) error {
		for b.Loop() {
			_, _, err := tx.ReadHead(id)
			ok(b, err)
		}
		return nil
	}))
}
