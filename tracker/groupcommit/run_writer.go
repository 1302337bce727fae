package groupcommit

import (
	"fmt"
	"os"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
)

// A RunWriter adds to a run that this process holds. Records wait in memory until a checkpoint or an iteration that
// names them is sealed, and sealed data waits for a commit. It is for one goroutine.
type RunWriter struct {
	w     *Writer
	run   tracker.Run
	token [16]byte

	target    int                // of the run when its lease was taken
	retention *tracker.Retention // of the run, which does not change while it is held; nil keeps everything

	claimed chan struct{} // closed when the transaction that took the lease has ended

	// Guarded by w.mu.

	staged         map[schema.Digest][]byte // stored forms that no committed row names yet
	loose          map[schema.Digest]bool   // records that were put, and that nothing sealed lists
	unsealed       int64                    // bytes staged since the last seal
	sealed         int64                    // bytes waiting for a commit; part of w.sealed
	lastSeal       time.Time
	next           int // number of the current iteration
	done           []tracker.FinishedIteration
	checkpoint     *tracker.Checkpoint // sealed after the last of done
	sealedSession  *tracker.Session    // as of the last seal, nil if it has no row
	pendingSession *tracker.Session    // the same, if it is to be committed
	sessionNo      int                 // its number in the store
	position       tracker.Position    // of the next checkpoint
	ending         *ending
	endCommitted   bool        // the ending is committed
	heartbeat      time.Time   // as of the last commit
	file           os.FileInfo // of the store, as of the last commit
	err            error
}

// An ending is the last thing that a RunWriter commits.
type ending struct {
	failure      string
	closes       bool // the run, which has no more iterations
	acknowledged func(error)
}

func newRunWriter(w *Writer, st RunState, l tracker.Lease) *RunWriter {
	now := time.Unix(0, l.Since)
	return &RunWriter{
		w: w, run: st.Run, token: l.Token, target: st.Target, retention: st.Retention,
		staged: map[schema.Digest][]byte{}, loose: map[schema.Digest]bool{},
		claimed: make(chan struct{}), lastSeal: now, heartbeat: now, next: st.Done,
		sealedSession: st.Session, sessionNo: st.sessionNo, file: st.file,
	}
}

// ID returns the run's ID.
func (r *RunWriter) ID() schema.Digest { return r.run.ID }

// Put compresses a record, keeps it for the next checkpoint or iteration that names it, and returns its name.
func (r *RunWriter) Put(record []byte) (schema.Digest, error) {
	name := schema.Name(record)
	known, err := r.isStaged(name)
	if known || err != nil {
		return name, err
	}
	c, err := r.w.store.Codec()
	if err != nil {
		return name, err
	}
	stored, err := c.Pack(record)
	if err != nil {
		return name, err
	}
	return name, r.change(func() error {
		r.staged[name], r.loose[name] = stored, true
		r.unsealed += int64(len(stored))
		return nil
	})
}

// change calls do under w.mu, unless nothing can be written to the run any more.
func (r *RunWriter) change(do func() error) error {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	if err := r.failure(); err != nil {
		return err
	}
	return do()
}

func (r *RunWriter) isStaged(name schema.Digest) (bool, error) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	_, ok := r.staged[name]
	if ok {
		r.loose[name] = true
	}
	return ok, r.failure()
}

// SealCheckpoint seals the state of the current iteration, and replaces an earlier checkpoint. entries are
// records that the iteration will list. Records that only an earlier checkpoint named remain in the store until
// a compaction. The caller must not use state afterwards.
func (r *RunWriter) SealCheckpoint(state []byte, entries []schema.Entry) error {
	return r.seal(int64(len(state)), entries, func() error {
		r.checkpoint = &tracker.Checkpoint{State: state, Records: entries}
		r.noteSaved(r.position)
		return nil
	})
}

// SealIteration seals iteration k and drops the checkpoint. The caller computes the link.
func (r *RunWriter) SealIteration(k int, it schema.Iteration, c tracker.Cost) error {
	return r.seal(0, it.Records, func() error {
		if k != r.next || k >= tracker.MaxIterations {
			return fmt.Errorf("iteration %d of run %.7s: %w: the next is %d", k, r.run.ID, tracker.ErrInvalid, r.next)
		}
		r.done = append(r.done, tracker.FinishedIteration{K: k, Iteration: it, Cost: c})
		r.checkpoint = nil
		r.next++
		r.noteSaved(tracker.Position{})
		return nil
	})
}

// SetPosition sets the position of the next checkpoint in the iteration.
func (r *RunWriter) SetPosition(at tracker.Position) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.position = at
}

// noteSaved records in the session what is sealed. Callers hold w.mu.
func (r *RunWriter) noteSaved(at tracker.Position) {
	r.updateSession(func(s *tracker.Session) { s.Saved, s.To, s.Position = r.w.store.Now().UnixNano(), r.next, at })
}

// updateSession changes the session, if it has a row. Callers hold w.mu.
func (r *RunWriter) updateSession(change func(*tracker.Session)) {
	if r.sealedSession == nil {
		return
	}
	s := *r.sealedSession
	change(&s)
	r.sealedSession, r.pendingSession = &s, &s
}

// EndSession records the end of the session. The function end sets how it ended and what it used.
func (r *RunWriter) EndSession(end func(*tracker.Session)) error {
	return r.change(func() error {
		r.endSession(end)
		return nil
	})
}

// endSession does the work of EndSession. Callers hold w.mu.
func (r *RunWriter) endSession(end func(*tracker.Session)) {
	r.updateSession(func(s *tracker.Session) {
		end(s)
		s.Ended = max(r.w.store.Now().UnixNano(), s.Started)
		s.Error = tracker.ClipText(s.Error, maxSessionError)
	})
}

// seal makes the staged records part of the next commit. If too much is waiting, it commits, and returns the
// error of the commit. If only the lock was not available, the sealed data remains queued.
func (r *RunWriter) seal(extra int64, entries []schema.Entry, what func() error) error {
	err := r.change(func() error {
		if err := what(); err != nil {
			return err
		}
		for _, e := range entries {
			delete(r.loose, e.Name)
		}
		r.sealed += r.unsealed + extra
		r.w.sealed += r.unsealed + extra
		r.unsealed = 0
		r.lastSeal = r.w.store.Now()
		return nil
	})
	if err != nil {
		return err
	}
	return r.w.commitIfFull()
}

// CheckpointDue reports whether a checkpoint is due: after a quarter of the commit interval, or when enough is
// staged. With the wait for the commit, a kill costs at most one and a half times the commit interval.
func (r *RunWriter) CheckpointDue() bool {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	return r.unsealed > portion.Staged || r.w.store.Now().Sub(r.lastSeal) >= r.w.opts.CommitEvery/4
}

// endClaim ends the transaction that took the lease, and abandons the run if that has failed.
func (r *RunWriter) endClaim(err error) {
	defer close(r.claimed)
	if err != nil {
		r.w.mu.Lock()
		defer r.w.mu.Unlock()
		r.abandon(err)
	}
}

// abandon drops all queued work. It keeps the first error. Callers hold w.mu.
func (r *RunWriter) abandon(err error) {
	if r.err == nil {
		r.err = err
	}
	r.w.sealed -= r.sealed
	r.staged, r.loose, r.done, r.checkpoint, r.pendingSession, r.sealed, r.unsealed = nil, nil, nil, nil, nil, 0, 0
}

// isClaimed reports whether the transaction that took the lease is known to be on the disk. Callers hold w.mu.
func (r *RunWriter) isClaimed() bool {
	select {
	case <-r.claimed:
		return r.err == nil
	default:
		return false
	}
}

// Err returns the error that prevents further writes to the run, or nil. It waits for the commit of the
// transaction that took the lease.
func (r *RunWriter) Err() error {
	<-r.claimed
	return r.change(func() error { return nil })
}

// Release releases the run with the next commit. acknowledged, if not nil, is called once: with nil when that commit is
// on the disk, or with the error that prevented it, possibly from another goroutine.
func (r *RunWriter) Release(acknowledged func(error)) {
	r.finishWith(ending{acknowledged: acknowledged})
}

// Close releases an open run that has all of its iterations, like [RunWriter.Release].
func (r *RunWriter) Close(acknowledged func(error)) {
	r.finishWith(ending{closes: true, acknowledged: acknowledged})
}

// Fail releases a run that cannot continue, like [RunWriter.Release], and records the cause.
func (r *RunWriter) Fail(cause error, acknowledged func(error)) {
	r.finishWith(ending{failure: cause.Error(), acknowledged: acknowledged})
}

func (r *RunWriter) finishWith(e ending) {
	err := r.change(func() error {
		r.setEnding(e)
		return nil
	})
	if err != nil && e.acknowledged != nil {
		e.acknowledged(err)
	}
}

// setEnding ends the session and sets the ending. Callers hold w.mu.
func (r *RunWriter) setEnding(e ending) {
	if r.sealedSession != nil && r.sealedSession.IsOpen() {
		r.endSession(func(s *tracker.Session) { s.State = tracker.SessionInterrupted })
	}
	if r.ending == nil {
		r.ending = &e
	}
}

// failure returns the error that prevents writes to the run, or nil. Callers hold w.mu.
func (r *RunWriter) failure() error {
	switch {
	case r.err != nil:
		return r.err
	case r.w.err != nil:
		return r.w.err
	case r.ending != nil:
		return fmt.Errorf("run %.7s: %w", r.run.ID, tracker.ErrReleased)
	}
	return nil
}

// isDirty reports whether the run has more to commit than a heartbeat.
func (r *RunWriter) isDirty() bool {
	return len(r.done) > 0 || r.checkpoint != nil || r.pendingSession != nil || r.ending != nil
}

const maxSessionError = 4 << 10
