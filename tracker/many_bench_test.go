package tracker

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// BenchmarkManyRuns measures operations that must stay short and small however many runs a store
// has. It reports the longest exclusive transaction and the peak memory of Go.
func BenchmarkManyRuns(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("runs=%d", n), func(b *testing.B) {
			dir := b.TempDir()
			from := newStoreOfManyRuns(b, filepath.Join(dir, "from.db"), n, 2)
			made := 0
			for _, work := range []struct {
				name string
				do   func(s *Store) error
			}{
				{"merge", func(*Store) error {
					made++
					to := New(filepath.Join(dir, fmt.Sprint(made)), Options{})
					to.onUnlock = from.onUnlock
					ok(b, to.Create(b.Context()))
					_, err := Copy(b.Context(), from, to, CopyOptions{})
					return err
				}},
				{"check", func(s *Store) error {
					_, err := Check(b.Context(), s, CheckOptions{Size: 64 << 20})
					return err
				}},
				{"select", func(s *Store) error {
					_, err := seedBelow(b.Context(), s, 1)
					return err
				}},
				{"tag", func(s *Store) error {
					ids, err := seedBelow(b.Context(), s, uint64(n))
					ok(b, err)
					made++
					return UpdateEach(b.Context(), s, ids, func(tx *Tx, id schema.Digest) error {
						return tx.AddTag(id, fmt.Sprint("tag", made))
					})
				}},
				{"remove a tenth", func(s *Store) error { // at most nine times
					ids, err := seedBelow(b.Context(), s, uint64(n))
					ok(b, err)
					_, err = Remove(b.Context(), s, ids[:min(n/10, len(ids))])
					return err
				}},
			} {
				b.Run("do="+work.name, func(b *testing.B) {
					watch := watchCosts(b, from)
					for b.Loop() {
						ok(b, work.do(from))
					}
					watch.report(b)
				})
			}
		})
	}
}

// seedBelow returns the runs with seeds below the given one.
func seedBelow(ctx context.Context, s *Store, most uint64) (ids []schema.Digest, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		ids, err = ScanNewest(tx, func(_ *Tx, r Run) (schema.Digest, bool, error) {
			return r.ID, r.Spec.Seed < most, nil
		})
		return err
	})
	return ids, err
}

// BenchmarkCheckForks checks chains of forks. Each fork has rows of all its shared iterations, so
// the rows of a chain grow with the square of its forks. It reports the time per row.
func BenchmarkCheckForks(b *testing.B) {
	for _, n := range []int{125, 250, 500} {
		b.Run(fmt.Sprintf("forks=%d", n), func(b *testing.B) {
			s := chainOfForks(b, filepath.Join(b.TempDir(), "forks.db"), n)
			rows := 0
			for b.Loop() {
				found, err := Check(b.Context(), s, CheckOptions{})
				ok(b, err)
				equal(b, "damaged", len(found.Damaged), 0)
				rows = found.Iterations
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(rows), "µs/row")
		})
	}
}

// costs are the costs of work on stores besides time.
type costs struct {
	mu      sync.Mutex
	longest time.Duration // that a transaction kept others out
	memory  uint64        // bytes, at most
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// watchCosts measures the use of a store, and the process's memory.
func watchCosts(b *testing.B, s *Store) *costs {
	ctx, stop := context.WithCancel(b.Context())
	c := &costs{stop: stop}
	s.onUnlock = func(write bool, held time.Duration) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if write {
			c.longest = max(c.longest, held)
		}
	}
	c.done.Go(func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for ctx.Err() == nil {
			metrics.Read(sample)
			c.memory = max(c.memory, sample[0].Value.Uint64())
			time.Sleep(time.Millisecond)
		}
	})
	return c
}

func (c *costs) report(b *testing.B) {
	c.stop()
	c.done.Wait()
	b.ReportMetric(float64(c.longest.Milliseconds()), "hold-ms")
	b.ReportMetric(float64(c.memory)/1e6, "peak-MB")
}
