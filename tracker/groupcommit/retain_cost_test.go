package groupcommit_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// TestClosingReadsNoOtherRuns: runs drop what they alone name and need no more, in the same process or after an
// interruption, and leave what they share. None of them reads the rows of other runs.
func TestClosingReadsNoOtherRuns(t *testing.T) {
	read := map[int]int64{}
	for _, others := range []int{10, 300} {
		s, _ := NewStore(t)
		w := groupcommit.Start(t.Context(), s)
		for seed := range uint64(others) {
			r, st := Acquire(t, w, 10+seed, 1)
			Chain(t, r, 0, st.Run.ID, schema.KindValue, Artefacts(t, seed, 0)...)
		}
		OK(t, w.Close(t.Context()))
		rowsRead := countRowsRead(t)
		ids := workTogether(t, s)
		read[others] = rowsRead()
		for _, id := range ids {
			Equal(t, "records there", groupcommit.DrawRecords(t, s, id), "tfvom tfvom ....m")
		}
		Equal(t, "unused records", UnreferencedRecords(t, s), 0)
	}
	Equal(t, "rows read beside 300 runs, as beside 10", read[300], read[10])
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

// workTogether makes three runs that keep nothing, and share the records of their first iterations. It interrupts them.
func workTogether(t testing.TB, s *tracker.Store) (ids []schema.Digest) {
	w := groupcommit.Start(t.Context(), s)
	var runs [3]*groupcommit.RunWriter
	step := func(i, k int) {
		if runs[i] == nil {
			r, _, err := w.Acquire(t.Context(),
				tracker.Claim{Spec: Spec(uint64(i)), Target: 3, Retention: &tracker.Retention{}})
			OK(t, err)
			runs[i] = r
		}
		groupcommit.SealAllKinds(t, runs[i], k, []string{"same", "too", fmt.Sprint(i)}[k])
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
	OK(t, w.Close(t.Context()))
	w, runs = groupcommit.Start(t.Context(), s), [3]*groupcommit.RunWriter{}
	step(2, 1)
	step(1, 2)
	step(2, 2)
	OK(t, w.Close(t.Context()))
	return ids
}
