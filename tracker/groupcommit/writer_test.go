package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/internal/process"
	"github.com/podtrack/podtrack/tracker/rows"
)

// counts has the numbers of records, iterations and checkpoints in the file.
func counts(t *testing.T, s *tracker.Store) [3]int {
	t.Helper()
	var n [3]int
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for i, b := range []string{rows.BucketRecords, rows.BucketIterations, rows.BucketCheckpoints} {
			n[i] = len(tx.Rows().Keys(b, nil))
		}
		return nil
	}))
	return n
}

func TestOnlySealedWorkIsCommitted(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, _ := Acquire(t, w, 1, 2)
	put := func(record string) schema.Digest {
		name, err := r.Put([]byte(record))
		ok(t, err)
		return name
	}
	flush := func(what string, want [3]int) {
		t.Helper()
		ok(t, w.Flush(t.Context()))
		equal(t, what, counts(t, s), want)
		equal(t, "orphans", UnreferencedRecords(t, s), 0)
	}
	a, b := put("a"), put("b")
	flush("staged alone", [3]int{0, 0, 0})
	ok(t, r.SealCheckpoint([]byte("after a"), Entries(a)))
	flush("b is not named yet", [3]int{1, 0, 1})
	equal(t, "anything to commit", r.isDirty(), false)
	flush("nothing new", [3]int{1, 0, 1})
	c := put("c")
	ok(t, r.SealCheckpoint([]byte("after c"), Entries(a, b, c)))
	ok(t, r.SealCheckpoint([]byte("after b"), Entries(a, b))) // takes the other's place
	flush("c is not named any more", [3]int{2, 0, 1})
	ok(t, r.SealIteration(0, schema.Iteration{Link: a, Records: Entries(a, b, c)}, tracker.Cost{}))
	flush("the checkpoint goes", [3]int{3, 1, 0})
	d := put("d")
	ok(t, r.SealIteration(1, schema.Iteration{Link: b, Records: Entries(a, d, d)}, tracker.Cost{}))
	ok(t, r.SealCheckpoint([]byte("then"), Entries(put("e"))))
	flush("both in one", [3]int{5, 2, 1})
	wantErr(t, r.SealIteration(1, schema.Iteration{}, tracker.Cost{}), tracker.ErrInvalid)
	wantErr(t, r.SealIteration(3, schema.Iteration{}, tracker.Cost{}), tracker.ErrInvalid)
}

// TestSealingDuringACommit: work that is sealed during a commit is written by the next one.
func TestSealingDuringACommit(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, _ := Acquire(t, w, 1, 9)
	a := Iterate(t, r, 0, "a")
	ok(t, r.SealCheckpoint([]byte("one"), Entries(a)))
	w.waitForClaims()
	units, err := w.collect()
	ok(t, err)
	b := Iterate(t, r, 1, "b")
	ok(t, r.SealCheckpoint([]byte("two"), Entries(b)))
	ok(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return errors.Join(units[0].check(tx), units[0].apply(tx)) }))
	w.applyCommit(units, nil)
	equal(t, "in the first commit", counts(t, s), [3]int{1, 1, 1})
	ok(t, w.Flush(t.Context()))
	equal(t, "in the second", counts(t, s), [3]int{2, 2, 1})
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		c, err := tx.ReadCheckpoint(r.ID())
		equal(t, "checkpoint", string(c.State), "two")
		return err
	}))
	equal(t, "bytes that wait", w.sealed, 0)
	equal(t, "staged", len(r.staged), 0)
}

func TestWhatIsAcquired(t *testing.T) {
	s, c, name := NewStoreWithRun(t, "record")
	var failure error
	attempt := func(target int, work func(*RunWriter)) RunState {
		w := Start(t.Context(), s)
		r, st, err := w.Acquire(t.Context(),
			tracker.Claim{Spec: Spec(1), Target: target,
				Session: &tracker.Session{Go: fmt.Sprint("go", target), Modules: map[string]string{}}})
		ok(t, err)
		work(r)
		ok(t, w.Close(t.Context()))
		return st
	}
	st := attempt(3, func(r *RunWriter) {
		ok(t, r.SealCheckpoint([]byte("state"), Entries(name)))
		ok(t, r.EndSession(func(s *tracker.Session) { s.State, s.Error = tracker.SessionFailed, "it broke" }))
		r.Fail(errors.New("it broke"), func(err error) { failure = err })
	})
	ok(t, failure)
	link := schema.Name([]byte("0record"))
	run := tracker.Run{ID: RunID(t, 1), Spec: Spec(1), Number: 1, Ancestors: []tracker.Ancestor{}}
	now := c.Now().UnixNano()
	begun := tracker.Session{Started: now, Host: process.Self().Host, PID: process.Self().PID, Go: "go3",
		Modules: map[string]string{}, From: 1, To: 1}
	if diff := cmp.Diff(RunState{Run: run, Done: 1, Head: link, Target: 3, Session: &begun}, st,
		cmpopts.IgnoreUnexported(RunState{})); diff != "" {
		t.Fatal(diff)
	}
	state := func(want tracker.Status, failure string) {
		t.Helper()
		ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
			a, err := tx.ReadAnnotation(run.ID)
			ok(t, err)
			done, _, err := tx.ReadHead(run.ID)
			ok(t, err)
			status, err := tx.DeriveStatus(run.ID, a, done)
			equal(t, "status", status, want)
			equal(t, "failure", a.Failure, failure)
			equal(t, "created", a.Created, c.Now().UnixNano())
			return err
		}))
	}
	state(tracker.Failed, "it broke")
	st = attempt(2, func(r *RunWriter) { state(tracker.Running, "") })
	failed := begun
	failed.Ended, failed.Saved, failed.State, failed.Error = now, now, tracker.SessionFailed, "it broke"
	begun.Go = "go2"
	want := RunState{
		Run: run, Done: 1, Head: link, Target: 3, Checkpoint: &tracker.Checkpoint{State: []byte("state"),
			Records: Entries(name)},
		Session: &begun, Previous: &failed,
	}
	if diff := cmp.Diff(want, st, cmpopts.IgnoreUnexported(RunState{})); diff != "" {
		t.Fatal(diff)
	}
	state(tracker.Interrupted, "")
	attempt(0, func(r *RunWriter) { Iterate(t, r, 1, "x"); Iterate(t, r, 2, "y") })
	state(tracker.Complete, "")
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		sessions, err := tx.ReadSessions(run.ID)
		ok(t, err)
		equal(t, "sessions", len(sessions), 2)
		equal(t, "sessions' states", string(sessions[0].State)+" "+string(sessions[1].State), "failed interrupted")
		cost, err := tx.ReadCost(run.ID, 2)
		equal(t, "cost", cost.Stages["learn"], 2)
		raw, stored, errSizes := tx.RecordSizes(name)
		equal(t, "raw size", raw, 6)
		equal(t, "stored size", stored, 8)
		return errors.Join(err, errSizes)
	}))
}

func TestCommitsAreGroupedByTime(t *testing.T) {
	s, c := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, _ := Acquire(t, w, 1, 9)
	equal(t, "due at once", r.CheckpointDue(), false)
	Iterate(t, r, 0, "a")
	w.tick()
	equal(t, "at once", counts(t, s), [3]int{})
	c.Advance(time.Second)
	equal(t, "due after a second", r.CheckpointDue(), true)
	w.tick()
	equal(t, "after a second", counts(t, s), [3]int{1, 1, 0})
	ok(t, r.SealCheckpoint(nil, nil))
	equal(t, "due after a seal", r.CheckpointDue(), false)
}

func TestDueByBytes(t *testing.T) {
	s, _ := NewStore(t)
	r, _ := Acquire(t, CloseAtEnd(t, Start(t.Context(), s)), 1, 1)
	var names []schema.Digest
	for i := 0; !r.CheckpointDue(); i++ {
		if i > 40 {
			t.Fatal("never due")
		}
		name, err := r.Put(RandomBytes(1<<20, uint64(i)))
		ok(t, err)
		names = append(names, name)
	}
	equal(t, "MiB at which it is due", len(names), 16)
	ok(t, r.SealCheckpoint(nil, Entries(names...)))
	equal(t, "due after the seal", r.CheckpointDue(), false)
	equal(t, "committed", counts(t, s)[0], 0)
	for i := range 17 {
		name, err := r.Put(RandomBytes(1<<20, uint64(100+i)))
		ok(t, err)
		names = append(names, name)
	}
	ok(t, r.SealCheckpoint(nil, Entries(names...))) // more than portion.Sealed waits now
	equal(t, "committed", counts(t, s)[0], 33)
	equal(t, "bytes that wait", r.w.sealed, 0)
}

func TestNamingWhatWasNeverPut(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	bad, _ := Acquire(t, w, 1, 1)
	good, _ := Acquire(t, w, 2, 1)
	ok(t, bad.SealIteration(0, schema.Iteration{Records: Entries(schema.Name([]byte("never")))}, tracker.Cost{}))
	Iterate(t, good, 0, "record")
	var results [2]error
	bad.Release(func(err error) { results[0] = err })
	good.Release(func(err error) { results[1] = err })
	ok(t, w.Flush(t.Context()))
	wantErr(t, results[0], tracker.ErrMissing)
	ok(t, results[1])
	equal(t, "in the file", counts(t, s), [3]int{1, 1, 0})
}

func TestReleaseIsAcknowledgedByItsCommit(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, _ := Acquire(t, w, 1, 1)
	Iterate(t, r, 0, "record")
	called := 0
	r.Release(func(err error) {
		ok(t, err)
		called++
		equal(t, "in the file", counts(t, s), [3]int{1, 1, 0})
		ok(t, w.Flush(t.Context())) // the turn is over
	})
	equal(t, "called before", called, 0)
	_, err := r.Put([]byte("more"))
	wantErr(t, err, tracker.ErrReleased)
	r2, st := Acquire(t, w, 1, 2) // commits the release, since it stands in the way
	equal(t, "called", called, 1)
	equal(t, "done", st.Done, 1)
	Iterate(t, r2, 1, "more")
	ok(t, w.Close(t.Context()))
	ok(t, w.Close(t.Context()))
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		equal(t, "leases", len(tx.Rows().Keys(rows.BucketLeases, nil)), 0)
		return nil
	}))
}

func TestInterruptionKeepsWhatIsSealed(t *testing.T) {
	s, _ := NewStore(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	w := CloseAtEnd(t, Start(ctx, s))
	r, _ := Acquire(t, w, 1, 9)
	cancel(errors.New("interrupted by a signal"))
	var names []schema.Digest
	for i := range 40 {
		name, err := r.Put(RandomBytes(1<<20, uint64(i)))
		ok(t, err)
		names = append(names, name)
	}
	ok(t, r.SealCheckpoint([]byte("state"), Entries(names...))) // too much, but the end is near
	wantErr(t, w.Flush(ctx), context.Canceled)
	equal(t, "before", counts(t, s), [3]int{})
	ok(t, w.Close(t.Context()))
	equal(t, "after", counts(t, s), [3]int{40, 0, 1})
}

func TestALockNotHadCanBeHadLater(t *testing.T) {
	s, _ := NewStore(t)
	hurried := tracker.New(s.Path(), tracker.Options{Wait: time.Nanosecond, Now: s.Now})
	w := CloseAtEnd(t, Start(t.Context(), hurried))
	r, _ := Acquire(t, w, 1, 1)
	Iterate(t, r, 0, "record")
	ok(t, s.Update(t.Context(), func(*tracker.Tx) error {
		wantErr(t, w.Flush(t.Context()), tracker.ErrLocked)
		return nil
	}))
	ok(t, r.Err())
	ok(t, w.Flush(t.Context()))
	equal(t, "in the file", counts(t, s), [3]int{1, 1, 0})
}

// TestAFailedCommitIsSticky: a permanent failure of a commit ends all runs of the writer.
func TestAFailedCommitIsSticky(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	a, _ := Acquire(t, w, 1, 1)
	b, _ := Acquire(t, w, 2, 1)
	raw(t, s.Path(), func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte(rows.BucketCosts)) })
	Iterate(t, a, 0, "record")
	var acknowledged [2]error
	b.Release(func(err error) { acknowledged[1] = err })
	err := w.Flush(t.Context())
	wantErr(t, err, tracker.ErrNotStore)
	a.Release(func(err error) { acknowledged[0] = err })
	for _, later := range []error{
		acknowledged[0], acknowledged[1], a.Err(), b.Err(), a.SealCheckpoint(nil,
			nil), w.Flush(t.Context()), w.Close(t.Context()),
	} {
		equal(t, "error", errors.Is(later, tracker.ErrNotStore), true)
	}
	_, _, err = w.Acquire(t.Context(), tracker.Claim{Spec: Spec(3), Target: 1})
	wantErr(t, err, tracker.ErrNotStore)
}

func TestRecordsAreSharedBetweenRuns(t *testing.T) {
	s, _ := NewStore(t)
	w := Start(t.Context(), s)
	for seed := range uint64(3) {
		r, _ := Acquire(t, w, seed, 2)
		Iterate(t, r, 0, "shared")
		Iterate(t, r, 1, strings.Repeat("own", int(seed)))
	}
	ok(t, w.Close(t.Context()))
	equal(t, "in the file", counts(t, s), [3]int{4, 6, 0})
	remove := func(want gc.RemoveReport, seeds ...uint64) {
		t.Helper()
		var ids []schema.Digest
		for _, seed := range seeds {
			ids = append(ids, RunID(t, seed))
		}
		got, err := gc.Remove(t.Context(), s, ids)
		ok(t, err)
		equal(t, "removed", got, want)
	}
	remove(gc.RemoveReport{Runs: 1, Records: 1, Stored: 5}, 1)
	remove(gc.RemoveReport{Runs: 2, Records: 3, Stored: 8 + 2 + 8}, 0, 2, 0)
	equal(t, "left", counts(t, s), [3]int{})
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for _, b := range rows.Buckets[1:] {
			equal(t, "rows of "+b, len(tx.Rows().Keys(b, nil)), 0)
		}
		return nil
	}))
}

func TestRemoveIsAllOrNothing(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	a, _ := Acquire(t, w, 1, 1)
	Iterate(t, a, 0, "a")
	a.Release(nil)
	b, _ := Acquire(t, w, 2, 1)
	Iterate(t, b, 0, "b")
	ok(t, w.Flush(t.Context()))
	_, err := gc.Remove(t.Context(), s, []schema.Digest{a.ID(), b.ID()})
	wantErr(t, err, tracker.ErrLocked)
	ok(t, s.Update(t.Context(), func(tx *tracker.Tx) error { // a row that cannot be read might name anything
		return tx.Rows().Bucket(rows.BucketIterations).Put(rows.PartKey(b.ID(), 0), []byte("damaged row"))
	}))
	_, err = gc.Remove(t.Context(), s, []schema.Digest{a.ID()})
	wantErr(t, err, tracker.ErrDamaged)
	equal(t, "left", counts(t, s), [3]int{2, 2, 0})
}

// TestReplacedStore: a run whose store was replaced by another file is told so.
func TestReplacedStore(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _ := NewStore(t)
	other, _ := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, _ := Acquire(t, w, 1, 3)
	Iterate(t, r, 0, "record")
	ok(t, w.Flush(t.Context()))
	ok(t, os.Rename(s.Path(), s.Path()+".old"))
	ok(t, os.Rename(other.Path(), s.Path()))
	Iterate(t, r, 1, "another")
	ok(t, w.Flush(t.Context()))
	_, err := r.Put([]byte("more"))
	wantErr(t, err, tracker.ErrLeaseLost)
	equal(t, "says that the file was replaced", strings.Contains(err.Error(), "the store's file was replaced"), true)
}

// TestIterationLimit: the last iteration that a key has room for is sealed, and none after it.
func TestIterationLimit(t *testing.T) {
	s, _ := NewStore(t)
	w := Start(t.Context(), s)
	defer func() { _ = w.Close(t.Context()) }() // whether or not it can write them
	r, _ := Acquire(t, w, 1, 2)
	r.next = tracker.MaxIterations - 1
	ok(t, r.SealIteration(tracker.MaxIterations-1, schema.Iteration{}, tracker.Cost{}))
	wantErr(t, r.SealIteration(tracker.MaxIterations, schema.Iteration{}, tracker.Cost{}), tracker.ErrInvalid)
}
