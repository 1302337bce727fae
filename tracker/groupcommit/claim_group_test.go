package groupcommit

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/podtrack/podtrack/tracker"
)

// A contextClaim is a claim with the context of its Acquire.
type contextClaim struct {
	ctx context.Context
	tracker.Claim
}

// claimTogether claims runs by one Writer. The first claims wait before the store is opened, the others join while a
// reader keeps it locked. It returns the errors of the claims, after their commits, and the number of commits.
func claimTogether(t *testing.T, s *tracker.Store, first int, claims ...contextClaim) (errs []error, commits int64) {
	t.Helper()
	var count atomic.Int64
	o := s.Options()
	o.BeforeCommit = func() error { count.Add(1); return nil }
	w := CloseAtEnd(t, Start(t.Context(), tracker.New(s.Path(), o)))
	errs = make([]error, len(claims))
	done := make(chan struct{})
	waitFor := func(waiting int) {
		for n := -1; n != waiting; time.Sleep(time.Millisecond) {
			w.mu.Lock()
			n = len(w.claims)
			w.mu.Unlock()
		}
	}
	start := func(from, to int) {
		for i := from; i < to; i++ {
			go func() {
				r, _, err := w.Acquire(claims[i].ctx, claims[i].Claim)
				if err == nil {
					err = r.Err()
				}
				errs[i] = err
				done <- struct{}{}
			}()
			waitFor(i - from + 1)
		}
	}
	w.claiming.Lock()
	start(0, first)
	ok(t, s.View(t.Context(), func(*tracker.Tx) error {
		w.claiming.Unlock()
		waitFor(0)
		start(first, len(claims))
		return nil
	}))
	for range claims {
		<-done
	}
	return errs, count.Load()
}

// wantRuns checks which of the runs with seeds 0, 1, … exist and have a lease.
func wantRuns(t *testing.T, s *tracker.Store, want ...bool) {
	t.Helper()
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for seed, want := range want {
			id := RunID(t, uint64(seed))
			lease, err := tx.ReadLease(id)
			ok(t, err)
			equal(t, "run exists", tx.Rows().HasRun(id), want)
			equal(t, "is leased", lease != nil, want)
		}
		return nil
	}))
}

// TestClaimsShareATransaction: claims of a process that wait at the same time are one commit. One that is refused fails
// alone.
func TestClaimsShareATransaction(t *testing.T) {
	s, _ := NewStore(t)
	other, _ := Acquire(t, CloseAtEnd(t, Start(t.Context(), SecondStore(s))), 1, 1)
	ok(t, other.Err())
	var claims []contextClaim
	for seed := range uint64(6) {
		claims = append(claims, contextClaim{t.Context(), tracker.Claim{Spec: Spec(seed), Target: 1}})
	}
	claims[4].Check = func(*tracker.Tx) error { return errDisk }
	errs, commits := claimTogether(t, s, 2, append(claims, claims[5])...)
	equal(t, "commits", commits, 1)
	var held *tracker.HeldError
	equal(t, "run of another process is held", errors.As(errs[1], &held) && held.Run == other.ID(), true)
	equal(t, "run is claimed once", (errs[5] == nil) != (errs[6] == nil), true)
	wantErr(t, errors.Join(errs[5], errs[6]), tracker.ErrLocked)
	wantErr(t, errs[4], errDisk)
	ok(t, errors.Join(errs[0], errs[2], errs[3]))
	wantRuns(t, s, true, true, true, true, false, true)
}

// TestClaimThatFailsInAGroup: a claim that fails when rows are written already, and one whose context is done, do not
// keep others from their runs.
func TestClaimThatFailsInAGroup(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct{ misnamed, canceled, first int }{{0, 1, 2}, {3, 0, 4}} {
		s, _ := NewStore(t)
		var claims []contextClaim
		for seed := range uint64(4) {
			claims = append(claims, contextClaim{t.Context(), tracker.Claim{Spec: Spec(seed), Target: 1}})
		}
		claims[c.misnamed].Name = "no:name"
		claims[c.canceled].ctx = canceled
		errs, commits := claimTogether(t, s, c.first, claims...)
		equal(t, "commits", commits, 2)
		want := []bool{true, true, true, true}
		want[c.misnamed], want[c.canceled] = false, false
		wantErr(t, errs[c.misnamed], tracker.ErrInvalid)
		wantErr(t, errs[c.canceled], context.Canceled)
		errs[c.misnamed], errs[c.canceled] = nil, nil
		ok(t, errors.Join(errs...))
		wantRuns(t, s, want...)
	}
}

// TestRefusedClaimsCommitNothing: a group of claims that are all refused is not committed.
func TestRefusedClaimsCommitNothing(t *testing.T) {
	s, _ := NewStore(t)
	refused := func(*tracker.Tx) error { return errDisk }
	var claims []contextClaim
	for seed := range uint64(3) {
		claims = append(claims, contextClaim{t.Context(), tracker.Claim{Spec: Spec(seed), Target: 1, Check: refused}})
	}
	errs, commits := claimTogether(t, s, 2, claims...)
	for _, err := range errs {
		wantErr(t, err, errDisk)
	}
	equal(t, "commits", commits, 0)
	wantRuns(t, s, false, false, false)
}
