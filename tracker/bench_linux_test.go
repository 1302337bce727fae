package tracker_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// BenchmarkSparseStore lists and checks a store of 50 GB of records. The file is sparse, so that it takes little of the
// disk. PODTRACK_BENCH_STORES names a folder in which it is kept.
func BenchmarkSparseStore(b *testing.B) {
	schematest.SkipUnlessLong(b)
	dir := b.TempDir()
	if kept := os.Getenv("PODTRACK_BENCH_STORES"); kept != "" {
		dir = kept
	}
	path := filepath.Join(dir, "sparse.db")
	if _, err := os.Stat(path); err != nil {
		tracker.MakeSparseStore(b, path, 50e9)
	}
	for _, work := range []struct {
		name string
		do   func(s *tracker.Store) error
	}{
		{"newest", func(s *tracker.Store) error {
			return s.View(b.Context(), func(tx *tracker.Tx) error {
				total, _, err := tracker.ScanNewestFrom(tx, 0, 40,
					func(_ *tracker.Tx, r tracker.Run) (schema.Digest, error) { return r.ID, nil })
				if total < 10_000 {
					b.Errorf("%d runs", total)
				}
				return err
			})
		}},
		{"tag", func(s *tracker.Store) error {
			return s.Update(b.Context(), func(tx *tracker.Tx) error {
				run, err := tx.Resolve("@1")
				if err == nil {
					err = tx.AddTag(run.ID, "x")
				}
				return err
			})
		}},
		{"check", func(s *tracker.Store) error {
			found, err := check.Run(b.Context(), s, check.Options{Size: 512 << 20})
			Equal(b, "damages", len(found.Damaged), 0)
			if found.Bytes < 49e9 || found.Read == 0 {
				b.Errorf("%d bytes, %d records read", found.Bytes, found.Read)
			}
			return err
		}},
	} {
		b.Run("do="+work.name, func(b *testing.B) {
			watch := watchCosts(b)
			for b.Loop() {
				OK(b, work.do(tracker.New(path, tracker.Options{OnUnlock: watch.noteUnlock})))
			}
			watch.report(b)
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

// noteUnlock records the time for which a transaction held a store's lock.
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
