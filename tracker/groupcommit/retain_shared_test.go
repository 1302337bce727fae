package groupcommit_test

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// TestOthersRecordsStay: a run drops no record that another run has come to name meanwhile.
func TestOthersRecordsStay(t *testing.T) {
	t.Parallel()
	for name, add := range map[string]func(*testing.T, *tracker.Store, schema.Digest) schema.Digest{
		"a run": makeSameRun,
		"a fork": func(t *testing.T, s *tracker.Store, parent schema.Digest) schema.Digest {
			w, start, spec := groupcommit.Start(t.Context(), s), LinkOf(parent, 1), Spec(1)
			spec.Kappa = 2
			r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: spec, Start: &start,
				Fork: &tracker.Fork{Parent: parent, K: 2}, Target: 2})
			OK(t, err)
			OK(t, w.Close(t.Context()))
			return r.ID()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := NewStore(t)
			w := groupcommit.Start(t.Context(), s)
			r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(1), Target: 3, Retention: &tracker.Retention{}})
			OK(t, err)
			groupcommit.SealAllKinds(t, r, 0, "0")
			groupcommit.SealAllKinds(t, r, 1, "1")
			OK(t, w.Flush(t.Context()))
			Equal(t, "at work", groupcommit.DrawRecords(t, s, r.ID()), "...om tfvom")
			other := add(t, SecondStore(s), r.ID())
			groupcommit.SealAllKinds(t, r, 2, "2")
			OK(t, w.Close(t.Context()))
			want := map[bool]string{true: "...om tfvom", false: "tfvom"}[name == "a fork"]
			Equal(t, "the other", groupcommit.DrawRecords(t, s, other), want)
			_, err = gc.Remove(t.Context(), s, []schema.Digest{other})
			OK(t, err)
			Equal(t, "complete, and the other removed", groupcommit.DrawRecords(t, s, r.ID()),
				map[bool]string{true: "...om tfvom ....m", false: "....m tfvom ....m"}[name == "a fork"])
		})
	}
}

// TestMergedRecordsStay: the same with a run that a merge brings.
func TestMergedRecordsStay(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	from := NewEmptyStore(t, s)
	other := Extend(t, from, 3, 2) // shares records with seed 1
	w := groupcommit.Start(t.Context(), s)
	r, st, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(1), Target: 3, Retention: &tracker.Retention{}})
	OK(t, err)
	link := Chain(t, r, 0, st.Run.ID, schema.KindValue, Artefacts(t, 1, 0)...)
	link = Chain(t, r, 1, link, schema.KindValue, Artefacts(t, 1, 1)...)
	OK(t, w.Flush(t.Context()))
	Equal(t, "copied", Merge(t, from, SecondStore(s)).Records, 3) // of 5; two are here
	Chain(t, r, 2, link, schema.KindValue, Artefacts(t, 1, 2)...)
	OK(t, w.Close(t.Context()))
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(other)
		OK(t, err)
		for k, it := range its {
			for i, e := range it.Records {
				if !tx.Rows().HasRecord(e.Name) {
					t.Errorf("record %d of iteration %d is gone", i, k)
				}
			}
		}
		return nil
	}))
	Equal(t, "damages", len(FormatDamages(Check(t, s, SelectAll))), 0)
}

// makeSameRun makes another run, which keeps everything, with the records of an iteration of the first.
func makeSameRun(t *testing.T, s *tracker.Store, _ schema.Digest) schema.Digest {
	w := groupcommit.Start(t.Context(), s)
	r, _ := Acquire(t, w, 2, 1)
	groupcommit.SealAllKinds(t, r, 0, "1")
	OK(t, w.Close(t.Context()))
	return r.ID()
}

// sealSame begins a run and seals its first iteration, which is the same for all seeds.
func sealSame(t *testing.T, w *groupcommit.Writer, seed uint64, target int,
	keep *tracker.Retention) *groupcommit.RunWriter {
	t.Helper()
	r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(seed), Target: target, Retention: keep})
	OK(t, err)
	groupcommit.SealAllKinds(t, r, 0, "same")
	return r
}

// TestRemovedBeforeItsEnd: a run that shares records which it does not retain can be removed before its process
// ends.
func TestRemovedBeforeItsEnd(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	other := makeSameRun(t, s, schema.Digest{})
	w := groupcommit.Start(t.Context(), s)
	r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(1), Target: 1, Retention: &tracker.Retention{}})
	OK(t, err)
	groupcommit.SealAllKinds(t, r, 0, "1")
	r.Release(nil)
	OK(t, w.Flush(t.Context()))
	_, err = gc.Remove(t.Context(), s, []schema.Digest{r.ID()})
	OK(t, err)
	OK(t, w.Close(t.Context()))
	Equal(t, "the other", groupcommit.DrawRecords(t, s, other), "tfvom")
}

// TestPrunedStays: a record that was dropped stays so when a run that names it is to have more iterations, and would
// retain it, and another is removed.
func TestPrunedStays(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	w := groupcommit.Start(t.Context(), s)
	other, r := sealSame(t, w, 1, 1, &tracker.Retention{}), sealSame(t, w, 2, 1, &tracker.Retention{})
	OK(t, w.Close(t.Context()))
	w = groupcommit.Start(t.Context(), s)
	Acquire(t, w, 2, 2)
	OK(t, w.Close(t.Context()))
	_, err := gc.Remove(t.Context(), s, []schema.Digest{other.ID()})
	OK(t, err)
	Equal(t, "what is left", groupcommit.DrawRecords(t, s, r.ID()), "....m")
}
