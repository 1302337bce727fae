package tracker

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// BenchmarkCompactBeside compacts a store of many tiny runs while a reader and a writer of another
// process use it. hold-ms is the longest wait of the reader, commit-ms the longest commit, which waits
// for the whole compaction.
func BenchmarkCompactBeside(b *testing.B) {
	beside(b, func(s *Store, _ string) error { _, err := s.Compact(b.Context(), CompactOptions{}); return err })
}

// BenchmarkLiveCopyFinish measures what a backup does while writers wait after a commit, and how many
// bytes of leaves it reads.
func BenchmarkLiveCopyFinish(b *testing.B) {
	s := newStoreOfTinyRuns(b, 20_000, 10)
	db, err := createUnsynced(s.path + ".copy")
	ok(b, err)
	m := newLiveCopy(s, db, liveCopyOptions{allRecords: true})
	defer m.close()
	ok(b, m.runPasses(b.Context()))
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		ok(b, s.Update(b.Context(), func(tx *Tx) error { return tx.AddTag(runID(b, 7), fmt.Sprint("t", i)) }))
		b.StartTimer()
		ok(b, s.View(b.Context(), func(tx *Tx) error { return m.finish(b.Context(), tx) }))
	}
	leaves := 0
	for _, l := range m.leaves {
		leaves += len(l)
	}
	b.SetBytes(int64(leaves) * pageSize)
}

const manyRuns = 100_000

func beside(b *testing.B, work func(s *Store, dir string) error) {
	s := newStoreOfTinyRuns(b, manyRuns, 10)
	s.now = time.Now
	for b.Loop() {
		hold, commit := disturb(b, s, func() error { return work(s, b.TempDir()) })
		b.ReportMetric(float64(hold.Microseconds())/1e3, "hold-ms")
		b.ReportMetric(float64(commit.Microseconds())/1e3, "commit-ms")
	}
}

// newStoreOfTinyRuns makes a store of runs of one iteration of small records.
func newStoreOfTinyRuns(t testing.TB, runs, records int) *Store {
	t.Helper()
	s := New(filepath.Join(t.TempDir(), "podtrack.db"), Options{})
	ok(t, s.Create(t.Context()))
	for first := 0; first < runs; first += 2000 {
		ok(t, s.updateSized(t.Context(), 64<<20, func(tx *Tx) error {
			for seed := first; seed < min(first+2000, runs); seed++ {
				r, err := tx.CreateRun(Claim{Spec: spec(uint64(seed)), Target: 1})
				ok(t, err)
				var names []schema.Digest
				for i := range records {
					record := randomBytes(200, uint64(seed*records+i))
					names = append(names, schema.Name(record))
					ok(t, tx.rows.AppendRecord(names[i],
						append([]byte{0}, append(binary.AppendUvarint(nil, 200), record...)...)))
				}
				ok(t, tx.rows.PutIteration(r.ID, 0, schema.Iteration{Link: names[0], Records: entries(names...)}))
				ok(t, rows.Write(tx.rows, rows.BucketCosts, rows.PartKey(r.ID, 0), Cost{Stages: map[string]int64{}}))
			}
			return nil
		}))
	}
	return s
}

// disturb reads and writes the store while work runs, and returns the longest waits.
func disturb(t testing.TB, s *Store, work func() error) (hold, commit time.Duration) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	longest := func(most *time.Duration, every time.Duration, use func(*Store) error) {
		group.Go(func() {
			for other := New(s.path, s.opts); ctx.Err() == nil; time.Sleep(every) {
				before := time.Now()
				if err := use(other); err != nil {
					t.Error(err)
					return
				}
				*most = max(*most, time.Since(before))
			}
		})
	}
	longest(&hold, time.Millisecond,
		func(o *Store) error { return o.View(context.Background(), func(*Tx) error { return nil }) })
	longest(&commit, 100*time.Millisecond, func(o *Store) error {
		return o.Update(context.Background(), func(tx *Tx) error {
			return tx.AddTag(runID(t, 7), fmt.Sprint("t", time.Now().UnixNano()))
		})
	})
	err := work()
	stop()
	group.Wait()
	ok(t, err)
	return hold, commit
}
