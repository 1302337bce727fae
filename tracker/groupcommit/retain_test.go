package groupcommit

import (
	"errors"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestRunPrunesAsItGoes: each commit leaves what the run retains. The run can be resumed, and records that it puts
// again come back.
func TestRunPrunesAsItGoes(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, _, err := w.Acquire(t.Context(),
		tracker.Claim{Spec: Spec(1), Target: 6, Retention: &tracker.Retention{Kinds: []schema.Kind{schema.KindFactors}}})
	ok(t, err)
	step := func(k int, want string) {
		t.Helper()
		value, err := r.Put([]byte("value " + string(rune('0'+k%2))))
		ok(t, err)
		option, err := r.Put([]byte("option"))
		ok(t, err)
		list := []schema.Entry{{Kind: schema.KindValue, Name: value}, {Kind: schema.KindOption, Name: option}}
		ok(t, r.SealIteration(k, schema.Iteration{Link: LinkOf(r.run.ID, k), Records: list}, tracker.Cost{}))
		ok(t, w.Flush(t.Context()))
		equal(t, "records there", DrawRecords(t, s, r.ID()), want)
	}
	step(0, "vo")
	step(1, ".o vo")
	step(2, "vo .o vo") // as iteration 0, which keeps nothing of it
	step(3, ".o vo .o vo")
	ok(t, w.Close(t.Context()))
	equal(t, "interrupted", DrawRecords(t, s, r.ID()), ".o vo .o vo")
	w = CloseAtEnd(t, Start(t.Context(), s))
	r, _ = Acquire(t, w, 1, 6)
	step(4, "vo .o vo .o vo")
	step(5, ".o vo .o vo .o vo")
	r.Release(nil)
	ok(t, w.Flush(t.Context()))
	equal(t, "complete", DrawRecords(t, s, r.ID()), ".. .. .. .. .. ..")
}

// TestUnretainedRecordsAreNeverWritten: of a run that is complete within one commit only what it keeps takes a place.
func TestUnretainedRecordsAreNeverWritten(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(1), Target: 3,
		Retention: &tracker.Retention{Kinds: []schema.Kind{schema.KindTransitions}}})
	ok(t, err)
	for k := range 3 {
		SealAllKinds(t, r, k, string(rune('0'+k)))
	}
	r.Release(nil)
	ok(t, w.Close(t.Context()))
	equal(t, "records there", DrawRecords(t, s, r.ID()), "t...m t...m t...m")
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		equal(t, "records written", tx.Rows().Bucket(rows.BucketRecords).Sequence(), uint64(6))
		return nil
	}))
}

// TestCheckpointKeepsItsRecords: records that a checkpoint lists stay when the run is interrupted, though an iteration
// that no longer retains them lists them, too.
func TestCheckpointKeepsItsRecords(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	claim := tracker.Claim{Spec: Spec(1), Target: 3, Retention: &tracker.Retention{}}
	r, _, err := w.Acquire(t.Context(), claim)
	ok(t, err)
	SealAllKinds(t, r, 0, "again")
	SealAllKinds(t, r, 1, "1")
	again, err := r.Put([]byte("value again"))
	ok(t, err)
	saved := []schema.Entry{{Kind: schema.KindValue, Name: again}}
	ok(t, r.SealCheckpoint([]byte{1}, saved))
	ok(t, w.Flush(t.Context()))
	r.Release(nil)
	ok(t, w.Flush(t.Context()))
	equal(t, "records there", DrawRecords(t, s, r.ID()), "..vom tfvom")
	r, _, err = w.Acquire(t.Context(), claim)
	ok(t, err)
	ok(t, r.SealIteration(2, schema.Iteration{Link: LinkOf(r.run.ID, 2), Records: saved}, tracker.Cost{}))
	r.Release(nil)
	ok(t, w.Flush(t.Context()))
	ok(t, r.err)
	equal(t, "complete", DrawRecords(t, s, r.ID()), "....m ....m .")
}

// TestRecordsPutAgainAreKept: between two commits, records of the first may be dropped although the
// second names them again.
func TestRecordsPutAgainAreKept(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(1), Target: 9, Retention: &tracker.Retention{}})
	ok(t, err)
	SealAllKinds(t, r, 0, "again")
	SealAllKinds(t, r, 1, "1")
	again, err := r.Put([]byte("value again")) // listed by iteration 3 alone
	ok(t, err)
	w.waitForClaims()
	units, err := w.collect()
	ok(t, err)
	two := SealAllKinds(t, r, 2, "again") // sealed while the commit is under way
	ok(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return errors.Join(units[0].check(tx), units[0].apply(tx)) }))
	w.applyCommit(units, nil)
	equal(t, "in between", DrawRecords(t, s, r.ID()), "...om tfvom")
	ok(t, w.Flush(t.Context()))
	equal(t, "after", DrawRecords(t, s, r.ID()), "tfvom ...om tfvom")
	ok(t, r.SealIteration(3, schema.Iteration{Link: again,
		Records: append(two[:2:2], schema.Entry{Kind: schema.KindValue, Name: again})}, tracker.Cost{}))
	ok(t, w.Flush(t.Context()))
	ok(t, r.Err())
	ok(t, w.Close(t.Context()))
	equal(t, "bytes staged", len(r.staged), 0)
}
