package groupcommit

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

var errDisk = errors.New("no space left")

// newHeldStore makes a store, whose next commit, after a call of hold, waits until release is called. It then fails
// with the given error, or succeeds if that is nil.
func newHeldStore(t *testing.T) (s *tracker.Store, hold func() (release func(error))) {
	t.Helper()
	s, _ = NewStore(t)
	o := s.Options()
	var next atomic.Pointer[chan error]
	o.BeforeCommit = func() error {
		if results := next.Swap(nil); results != nil {
			return <-*results
		}
		return nil
	}
	return tracker.New(s.Path(), o), func() func(error) {
		results := make(chan error, 1)
		next.Store(&results)
		return func(err error) { results <- err }
	}
}

// TestFailedClaim: when the commit that takes a lease fails after Acquire has returned, every call
// of the run returns that error, its release is acknowledged with it, nothing of the run comes into
// the store, and the writer's other runs continue.
func TestFailedClaim(t *testing.T) {
	s, hold := newHeldStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	other, _ := Acquire(t, w, 1, 1)
	ok(t, other.Err())
	release := hold()
	r, st := Acquire(t, w, 2, 9)
	equal(t, "done", st.Done, 0)
	a := Iterate(t, r, 0, "record") // the commit is under way
	ok(t, r.SealCheckpoint([]byte("state"), Entries(a)))
	Iterate(t, other, 0, "another")
	flushed := make(chan error)
	go func() { flushed <- w.Flush(t.Context()) }()
	release(errDisk)
	ok(t, <-flushed)
	wantErr(t, r.Err(), errDisk)
	wantErr(t, r.Err(), tracker.ErrCommit)
	_, err := r.Put([]byte("later"))
	wantErr(t, err, errDisk)
	wantErr(t, r.SealCheckpoint(nil, nil), errDisk)
	wantErr(t, r.SealIteration(1, schema.Iteration{}, tracker.Cost{}), errDisk)
	var acknowledged error
	r.Release(func(err error) { acknowledged = err })
	wantErr(t, acknowledged, errDisk)
	ok(t, w.Flush(t.Context()))
	ok(t, other.Err())
	equal(t, "in the file", counts(t, s), [3]int{1, 1, 0})
	equal(t, "bytes that wait", w.sealed, 0)
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		equal(t, "the run exists", tx.Rows().HasRun(r.ID()), false)
		return nil
	}))
	again, _ := Acquire(t, w, 2, 9)
	Iterate(t, again, 0, "record")
	ok(t, w.Flush(t.Context()))
	equal(t, "the second time", counts(t, s), [3]int{2, 2, 0})
}

// TestFailedClaimOfAReleasedRun: a release before the commit has failed is acknowledged with its
// error, by the next flush.
func TestFailedClaimOfAReleasedRun(t *testing.T) {
	s, hold := newHeldStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	release := hold()
	r, _ := Acquire(t, w, 1, 1)
	Iterate(t, r, 0, "record")
	var acknowledged []error
	r.Release(func(err error) { acknowledged = append(acknowledged, err) })
	release(errDisk)
	ok(t, w.Flush(t.Context()))
	equal(t, "calls", len(acknowledged), 1)
	wantErr(t, acknowledged[0], errDisk)
	equal(t, "in the file", counts(t, s), [3]int{})
	equal(t, "runs", len(w.runs), 0)
}

// TestClaimThatIsNotKnownToBeThere: a run that was acquired after a flush had waited for the others
// is not part of its commit, though it has sealed work and the row of its lease may be there.
func TestClaimThatIsNotKnownToBeThere(t *testing.T) {
	s, hold := newHeldStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	release := hold()
	r, _ := Acquire(t, w, 1, 1)
	Iterate(t, r, 0, "record")
	units, err := w.collect()
	ok(t, err)
	equal(t, "runs to commit", len(units), 0)
	release(nil)
	ok(t, w.Flush(t.Context()))
	equal(t, "in the file", counts(t, s), [3]int{1, 1, 0})
}

// TestClaimKeepsOthersOut: while the commit that takes the lease is under way, no other process gets
// the run; after it has failed one does.
func TestClaimKeepsOthersOut(t *testing.T) {
	s, hold := newHeldStore(t)
	hurried := tracker.New(s.Path(), tracker.Options{Wait: 20 * time.Millisecond, Now: s.Now})
	claim := tracker.Claim{Spec: Spec(1), Target: 1}
	others := CloseAtEnd(t, Start(t.Context(), hurried))
	attempt := func() (*RunWriter, error) {
		r, _, err := others.Acquire(t.Context(), claim)
		return r, err
	}
	w := CloseAtEnd(t, Start(t.Context(), s))
	for _, result := range []error{errDisk, nil} {
		release := hold()
		r, _ := Acquire(t, w, 1, 1)
		_, err := attempt()
		wantErr(t, err, tracker.ErrLocked)
		release(result)
		wantErr(t, r.Err(), result)
		second, err := attempt()
		if result == nil {
			var held *tracker.HeldError
			equal(t, "is held", errors.As(err, &held), true)
			return
		}
		ok(t, err)
		ok(t, second.Err())
		second.Release(nil)
		ok(t, others.Flush(t.Context()))
	}
}
