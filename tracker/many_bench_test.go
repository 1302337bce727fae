package tracker_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
)

// BenchmarkManyRuns measures operations that must stay short and small however many runs a store
// has. It reports the longest exclusive transaction and the peak memory of Go.
func BenchmarkManyRuns(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("runs=%d", n), func(b *testing.B) {
			dir := b.TempDir()
			from := NewStoreOfManyRuns(b, filepath.Join(dir, "from.db"), n, 2)
			made := 0
			for _, work := range []struct {
				name string
				do   func(s *tracker.Store) error
			}{
				{"merge", func(s *tracker.Store) error {
					made++
					to := tracker.New(filepath.Join(dir, fmt.Sprint(made)), s.Options())
					OK(b, to.Create(b.Context()))
					_, err := merge.Run(b.Context(), s, to, merge.Options{})
					return err
				}},
				{"check", func(s *tracker.Store) error {
					_, err := check.Run(b.Context(), s, check.Options{Size: 64 << 20})
					return err
				}},
				{"usage", func(s *tracker.Store) error {
					_, err := tracker.MeasureUsage(b.Context(), s, tracker.UsageOptions{})
					return err
				}},
				{"select", func(s *tracker.Store) error {
					_, err := seedBelow(b.Context(), s, 1)
					return err
				}},
				{"tag", func(s *tracker.Store) error {
					ids, err := seedBelow(b.Context(), s, uint64(n))
					OK(b, err)
					made++
					return tracker.UpdateEach(b.Context(), s, ids, func(tx *tracker.Tx, id schema.Digest) error {
						return tx.AddTag(id, fmt.Sprint("tag", made))
					})
				}},
				{"remove a tenth", func(s *tracker.Store) error { // at most nine times
					ids, err := seedBelow(b.Context(), s, uint64(n))
					OK(b, err)
					_, err = tracker.Remove(b.Context(), s, ids[:min(n/10, len(ids))])
					return err
				}},
			} {
				b.Run("do="+work.name, func(b *testing.B) {
					watch := watchCosts(b)
					s := tracker.New(from.Path(), tracker.Options{OnUnlock: watch.noteUnlock})
					for b.Loop() {
						OK(b, work.do(s))
					}
					watch.report(b)
				})
			}
		})
	}
}

// seedBelow returns the runs with seeds below the given one.
func seedBelow(ctx context.Context, s *tracker.Store, most uint64) (ids []schema.Digest, err error) {
	err = s.View(ctx, func(tx *tracker.Tx) error {
		ids, err = tracker.ScanNewest(tx, func(_ *tracker.Tx, r tracker.Run) (schema.Digest, bool, error) {
			return r.ID, r.Spec.Seed < most, nil
		})
		return err
	})
	return ids, err
}

// costs are the costs of work on stores besides time.
type costs struct {
	mu      sync.Mutex
	longest time.Duration // that a transaction kept others out
	memory  uint64        // bytes, at most
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// watchCosts measures the process's memory.
func watchCosts(b *testing.B) *costs {
	ctx, stop := context.WithCancel(b.Context())
	c := &costs{stop: stop}
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

// noteUnlock notes how long a transaction held a store's lock.
func (c *costs) noteUnlock(write bool, held time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if write {
		c.longest = max(c.longest, held)
	}
}

func (c *costs) report(b *testing.B) {
	c.stop()
	c.done.Wait()
	b.ReportMetric(float64(c.longest.Milliseconds()), "hold-ms")
	b.ReportMetric(float64(c.memory)/1e6, "peak-MB")
}
