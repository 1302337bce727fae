package groupcommit

import (
	"context"
	"crypto/rand"
	"os"
	"slices"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/process"
	"github.com/podtrack/podtrack/tracker/rows"
)

// RunState is the stored state of a run when the work on it begins.
type RunState struct {
	Run        tracker.Run
	Done       int                 // number of iterations
	Head       schema.Digest       // link of the last one, zero if Done is 0
	Target     int                 // number of iterations to reach
	Checkpoint *tracker.Checkpoint // of iteration Done, nil for none
	Retention  *tracker.Retention  // nil keeps everything

	Session  *tracker.Session // of this process, nil if nothing is left to do or the claim has none
	Previous *tracker.Session // last session before, nil for the first one or if the claim has none
	Code     *tracker.Code    // of the last session that saved work, nil if it is unknown

	sessionNo int
	file      os.FileInfo // of the store
}

// Acquire takes the run's lease. It creates the run if necessary, raises its target, names and tags it, clears
// a failure and, if anything is left to do, begins a session. All of this is one transaction, which is on the
// disk before any other change of the run, and before any is acknowledged. Calls that wait at the same time share a
// transaction. Acquire does not wait for its commit, so that the work begins while the disk is busy. If the commit
// fails, the RunWriter returns its error. If a living process works on the run, the error is a [*tracker.HeldError].
func (w *Writer) Acquire(ctx context.Context, c tracker.Claim) (*RunWriter, RunState, error) {
	id, err := schema.RunID(c.Spec, c.Start)
	if err == nil {
		err = w.flushRelease(ctx, id)
	}
	if err != nil {
		return nil, RunState{}, err
	}
	p := &pendingClaim{ctx: ctx, Claim: c, id: id, lease: newLease(w.store.Now()), begun: make(chan struct{})}
	w.mu.Lock()
	w.claims = append(w.claims, p)
	w.mu.Unlock()
	go w.claimWaiting()
	if <-p.begun; p.err != nil {
		return nil, RunState{}, p.err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = append(w.runs, p.r)
	return p.r, p.st, nil
}

// A pendingClaim is a claim that waits for a transaction.
type pendingClaim struct {
	tracker.Claim
	id    schema.Digest // of the run
	ctx   context.Context
	lease tracker.Lease

	begun chan struct{} // closed when the transaction is complete, though not committed, or err is set
	st    RunState
	err   error
	r     *RunWriter // unless err is set
}

// claimWaiting takes the leases of all claims that wait, unless an earlier call has. Claims that arrive while the
// store is opened share the transaction.
func (w *Writer) claimWaiting() {
	w.claiming.Lock()
	defer w.claiming.Unlock()
	if group := w.takeClaims(); len(group) > 0 {
		w.claimGroup(group, w.takeClaims)
	}
}

func (w *Writer) takeClaims() []*pendingClaim {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := w.claims
	w.claims = nil
	return waiting
}

// claimGroup takes the leases of a group, and of the claims that join once the store is open, in one transaction,
// which excludes all others until it is committed. If it fails before the runs can begin, each claim of several is
// retried by itself, under its own context.
func (w *Writer) claimGroup(group []*pendingClaim, join func() []*pendingClaim) {
	begun := false
	err := w.store.Update(group[0].ctx, func(tx *tracker.Tx) error {
		group = append(group, join()...)
		for _, p := range group {
			if err := p.acquire(tx); err != nil {
				return err
			}
		}
		begun = true
		for _, p := range group {
			p.r = newRunWriter(w, p.st, p.lease)
			close(p.begun)
		}
		if !slices.ContainsFunc(group, func(p *pendingClaim) bool { return p.err == nil }) {
			return group[0].err // there is nothing to commit
		}
		return nil
	})
	for _, p := range group {
		switch {
		case begun:
			p.r.endClaim(err)
		case len(group) > 1:
			go w.claimGroup([]*pendingClaim{p}, func() []*pendingClaim { return nil })
		default:
			p.err = err
			close(p.begun)
		}
	}
}

// acquire takes the lease, unless the claim's own check refuses it or a living process works on the run: then it sets
// p.err and writes nothing.
func (p *pendingClaim) acquire(tx *tracker.Tx) (err error) {
	var before *tracker.Lease
	if p.err = nil; p.Check != nil {
		p.err = p.Check(tx)
	}
	if p.err == nil {
		before, p.err = tx.ReadLease(p.id)
	}
	if p.err == nil {
		p.err = tx.CheckNotHeld(p.id, before)
	}
	if p.err != nil {
		return nil
	}
	if p.st, err = acquire(tx, p.Claim, p.lease, before); err == nil {
		p.st.file, err = tx.Stat()
	}
	return err
}

// flushRelease commits a pending release of the same run by this process, since no other process can end that
// lease. It returns the error that prevents further commits, if any.
func (w *Writer) flushRelease(ctx context.Context, id schema.Digest) error {
	w.mu.Lock()
	waits := slices.ContainsFunc(w.runs, func(r *RunWriter) bool { return r.run.ID == id && r.ending != nil })
	err := w.err
	w.mu.Unlock()
	if err != nil || !waits {
		return err
	}
	return w.Flush(ctx)
}

// acquire takes the lease of a run that no living process works on. before is its stale lease, or nil.
func acquire(tx *tracker.Tx, c tracker.Claim, lease tracker.Lease, before *tracker.Lease) (st RunState, err error) {
	if st.Run, err = tx.CreateRun(c); err != nil {
		return st, err
	}
	id := st.Run.ID
	if err := rows.Write(tx.Rows(), rows.BucketLeases, id[:], lease); err != nil {
		return st, err
	}
	if c.Name != "" {
		if err := tx.GiveName(id, c.Name); err != nil {
			return st, err
		}
	}
	for _, tag := range c.Tags {
		if err := tx.AddTag(id, tag); err != nil {
			return st, err
		}
	}
	if c.Retention != nil {
		if err := tx.SetRetention(id, *c.Retention); err != nil {
			return st, err
		}
	}
	if st.Retention, err = tx.ReadRetention(id); err != nil {
		return st, err
	}
	if st.Done, st.Head, err = tx.ReadHead(id); err != nil {
		return st, err
	}
	err = tx.UpdateAnnotation(id, func(a *tracker.Annotation) {
		if c.Open != nil {
			a.Open = *c.Open
		}
		if st.Done < c.Target || c.Open != nil { // something is left to do
			a.Failure = ""
		}
		a.Target = max(a.Target, min(c.Target, tracker.MaxIterations))
		st.Target = a.Target
	})
	if err != nil {
		return st, err
	}
	if st.Checkpoint, err = tx.ReadCheckpoint(id); err != nil || c.Session == nil {
		return st, err
	}
	previous, err := tx.ReadLastSession(id)
	if err != nil {
		return st, err
	}
	if previous != nil {
		st.sessionNo, st.Previous = previous.Number+1, &previous.Session
		if st.Code, err = tx.CodeOf(id); err != nil {
			return st, err
		}
	}
	if st.Done >= c.Target {
		return st, nil
	}
	if st.Previous != nil && st.Previous.IsOpen() {
		st.Previous.MarkVanished(before)
		if err := tx.PutSession(id, previous.Number, *st.Previous); err != nil {
			return st, err
		}
	}
	s := *c.Session
	s.Started, s.Host, s.PID, s.From, s.To = lease.Since, lease.Host, lease.PID, st.Done, st.Done
	st.Session = &s
	return st, tx.PutSession(id, st.sessionNo, s)
}

func newLease(now time.Time) tracker.Lease {
	self := process.Self()
	l := tracker.Lease{Boot: self.Boot, Host: self.Host, PID: self.PID, Start: self.Start}
	_, _ = rand.Read(l.Token[:]) // never fails
	l.Since, l.Beat = now.UnixNano(), now.UnixNano()
	return l
}
