package groupcommit_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// TestClosingReadsNoOtherRuns: two runs that share records for a while drop them, and so does one that comes when only
// one of them is left, in the same process or after an interruption. What another run keeps stays. None of them reads
// the rows of other runs.
func TestClosingReadsNoOtherRuns(t *testing.T) {
	for first, then := range map[string]string{"same": "....m", "kept": "tfvom"} {
		read := map[int]int64{}
		for _, others := range []int{10, 300} {
			s := NewStoreOfManyRuns(t, filepath.Join(t.TempDir(), "podtrack.db"), others, 4)
			w := groupcommit.Start(t.Context(), s)
			keeper, _ := Acquire(t, w, 9, 1)
			SealAllKinds(t, keeper, 0, "kept")
			OK(t, w.Close(t.Context()))
			rowsRead := countRowsRead(t)
			ids := workTogether(t, s, first)
			read[others] = rowsRead()
			for _, id := range ids {
				Equal(t, "records there", DrawRecords(t, s, id), then+" ....m ....m")
			}
			Equal(t, "unused records", UnreferencedRecords(t, s), 0)
		}
		Equal(t, "rows read beside 300 runs, as beside 10", read[300], read[10])
	}
}

// countRowsRead returns a function that returns how many rows transactions have read since.
func countRowsRead(t testing.TB) func() int64 {
	var n atomic.Int64
	fault.OnStep(func() { n.Add(1) })
	t.Cleanup(func() { fault.OnStep(nil) })
	return func() int64 {
		fault.OnStep(nil)
		return n.Load()
	}
}

// workTogether makes three runs that keep nothing, and share the records of their first iterations. It interrupts them,
// unless the store keeps the first records.
func workTogether(t testing.TB, s *tracker.Store, first string) (ids []schema.Digest) {
	w := groupcommit.Start(t.Context(), s)
	var runs [3]*groupcommit.RunWriter
	step := func(i, k int) {
		if runs[i] == nil {
			r, _, err := w.Acquire(t.Context(),
				tracker.Claim{Spec: Spec(uint64(i)), Target: 3, Retention: &tracker.Retention{}})
			OK(t, err)
			runs[i] = r
		}
		SealAllKinds(t, runs[i], k, []string{first, "too", fmt.Sprint(i)}[k])
		if k == 2 {
			ids = append(ids, runs[i].ID())
			runs[i].Release(nil)
		}
		OK(t, w.Flush(t.Context()))
	}
	step(0, 0)
	step(1, 0)
	step(0, 1)
	step(1, 1)
	step(0, 2)
	step(2, 0)
	if first != "kept" {
		OK(t, w.Close(t.Context()))
		w, runs = groupcommit.Start(t.Context(), s), [3]*groupcommit.RunWriter{}
	}
	step(2, 1)
	step(1, 2)
	step(2, 2)
	OK(t, w.Close(t.Context()))
	return ids
}

// BenchmarkSharing measures runs that share records which they do not keep, beside many other runs in the store.
func BenchmarkSharing(b *testing.B) {
	for _, others := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("others=%d", others), func(b *testing.B) {
			s := NewStoreOfManyRuns(b, filepath.Join(b.TempDir(), "podtrack.db"), others, 8)
			rowsRead := countRowsRead(b)
			for seed := uint64(others); b.Loop(); seed += 2 {
				w := groupcommit.Start(b.Context(), s)
				var runs [2]*groupcommit.RunWriter
				for k := range 2 {
					for i := range runs {
						if k == 0 {
							r, _, err := w.Acquire(b.Context(), tracker.Claim{Spec: Spec(seed + uint64(i)), Target: 2,
								Retention: &tracker.Retention{}})
							OK(b, err)
							runs[i] = r
						}
						SealAllKinds(b, runs[i], k, fmt.Sprint(seed, k))
					}
					OK(b, w.Flush(b.Context()))
				}
				OK(b, w.Close(b.Context()))
			}
			b.ReportMetric(float64(rowsRead())/float64(b.N), "rows/op")
		})
	}
}
