package tracker

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A Writer commits the work of all runs of a process in groups. Its goroutine commits what has
// waited long enough and refreshes leases. It must be closed.
type Writer struct {
	store      *Store
	commitNow  func() error  // commits what is sealed, as [Store.StartWriter] says of its context
	commitSlot chan struct{} // held by the running commit
	stop       func()        // ends the goroutine and waits for it

	mu     sync.Mutex // guards what follows, and the fields of every RunWriter
	runs   []*RunWriter
	sealed int64     // bytes waiting for a commit
	last   time.Time // of the last commit
	err    error     // why nothing can be committed any more
	backgroundPruner
}

// StartWriter starts a group committer. When ctx is done, sealed work waits for [Writer.Flush] or
// [Writer.Close] with another context.
func (s *Store) StartWriter(ctx context.Context) *Writer {
	w := &Writer{store: s, commitSlot: make(chan struct{}, 1), last: s.now()}
	w.commitNow = func() error {
		err := w.Flush(ctx)
		if ctx.Err() != nil && isRetryable(err) {
			return nil
		}
		return err
	}
	quit, done := make(chan struct{}), make(chan struct{})
	w.stop = sync.OnceFunc(func() { close(quit); <-done })
	go w.loop(ctx, quit, done)
	return w
}

// loop calls tick four times per commit interval, so that work waits at most a quarter longer.
func (w *Writer) loop(ctx context.Context, quit <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	ticker := time.NewTicker(max(min(w.store.opts.CommitEvery, w.store.opts.Heartbeat)/4, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-quit:
			return
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.tick()
		}
	}
}

// tick commits if anything has waited long enough. Errors are passed to the runs.
func (w *Writer) tick() {
	if w.isOverdue() {
		_ = w.commitNow()
	}
}

func (w *Writer) isOverdue() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.store.now()
	waited := now.Sub(w.last) >= w.store.opts.CommitEvery
	return slices.ContainsFunc(w.runs, func(r *RunWriter) bool {
		return waited && r.isDirty() || now.Sub(r.heartbeat) >= w.store.opts.Heartbeat
	})
}

// RunState is what the store has of a run when the work on it begins.
type RunState struct {
	Run        Run
	Done       int           // number of iterations
	Head       schema.Digest // link of the last one, zero for none
	Target     int           // number of iterations to reach
	Checkpoint *Checkpoint   // of iteration Done, nil for none
	Retention  *Retention    // nil means everything

	Session  *Session // of this process, nil if there is nothing to do or the claim has none
	Previous *Session // the last session before, nil if there is none or the claim has none

	sessionNo int
	file      os.FileInfo // of the store
}

// Acquire takes the run's lease. It creates the run if necessary, raises its target, names and tags
// it, clears a failure and, if there is anything to do, begins a session. All of that is done in one
// transaction, which is on the disk before anything else of the run and before it is acknowledged;
// Acquire does not wait for it, so that work begins while the disk is busy. If the commit fails, the
// RunWriter returns its error. If a living process works on the run, the error is a [*HeldError].
func (w *Writer) Acquire(ctx context.Context, c Claim) (*RunWriter, RunState, error) {
	if err := w.failure(); err != nil {
		return nil, RunState{}, err
	}
	if err := w.flushRelease(ctx, c); err != nil {
		return nil, RunState{}, err
	}
	now := w.store.now()
	lease := newLease(now)
	st, committed, err := w.claim(ctx, c, lease)
	if err != nil {
		return nil, RunState{}, err
	}
	r := newRunWriter(w, st, lease, now)
	go r.awaitClaim(committed)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = append(w.runs, r)
	w.watchForPruning(r, st.Retention)
	return r, st, nil
}

// claim begins the transaction that takes the lease. When it returns, the transaction has done
// everything but its commit, and still excludes all others; the channel receives the commit's
// result.
func (w *Writer) claim(ctx context.Context, c Claim, lease Lease) (RunState, <-chan error, error) {
	var st RunState
	ended, done := make(chan error, 1), make(chan struct{})
	go func() {
		ended <- w.store.Update(ctx, func(tx *Tx) (err error) {
			if st, err = tx.acquire(c, lease); err == nil {
				st.file, err = tx.file.Stat()
			}
			if err == nil {
				close(done)
			}
			return err
		})
	}()
	select {
	case <-done:
		return st, ended, nil
	case err := <-ended: // perhaps the commit has ended already
		ended <- err
		return st, ended, err
	}
}

// failure returns why nothing can be committed any more, or nil.
func (w *Writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// flushRelease commits a waiting release of the same run by this process, since nobody else can end
// that lease.
func (w *Writer) flushRelease(ctx context.Context, c Claim) error {
	id, err := schema.RunID(c.Spec, c.Start)
	if err != nil {
		return err
	}
	w.mu.Lock()
	waits := slices.ContainsFunc(w.runs, func(r *RunWriter) bool { return r.id == id && r.ending != nil })
	w.mu.Unlock()
	if !waits {
		return nil
	}
	return w.Flush(ctx)
}

func (t *Tx) acquire(c Claim, lease Lease) (st RunState, err error) {
	if st.Run, err = t.CreateRun(c); err != nil {
		return st, err
	}
	id := st.Run.ID
	before, err := t.ReadLease(id)
	if err != nil {
		return st, err
	}
	if err := t.CheckNotHeld(id, before); err != nil {
		return st, err
	}
	if err := rows.Write(t.rows, rows.BucketLeases, id[:], lease); err != nil {
		return st, err
	}
	if c.Name != "" {
		if err := t.GiveName(id, c.Name); err != nil {
			return st, err
		}
	}
	for _, tag := range c.Tags {
		if err := t.AddTag(id, tag); err != nil {
			return st, err
		}
	}
	if c.Retention != nil {
		if err := t.SetRetention(id, *c.Retention); err != nil {
			return st, err
		}
	}
	if st.Retention, err = t.ReadRetention(id); err != nil {
		return st, err
	}
	err = t.updateAnnotation(id, func(a *Annotation) {
		a.Failure, a.Target = "", max(a.Target, min(c.Target, MaxIterations))
		st.Target = a.Target
	})
	if err != nil {
		return st, err
	}
	if st.Done, st.Head, err = t.ReadHead(id); err != nil {
		return st, err
	}
	if st.Checkpoint, err = t.ReadCheckpoint(id); err != nil || c.Session == nil {
		return st, err
	}
	if st.Done >= c.Target {
		st.Previous, _, err = t.readLastSession(id)
		return st, err
	}
	s := *c.Session
	s.Started, s.Host, s.PID, s.From, s.To = lease.Since, lease.Host, lease.PID, st.Done, st.Done
	st.Session = &s
	st.sessionNo, st.Previous, err = t.beginSession(id, s, before)
	return st, err
}

// Flush commits all sealed work now. After an [ErrLocked] or the error of a done context the work
// still waits; after any other error nothing can be committed any more.
func (w *Writer) Flush(ctx context.Context) error {
	select {
	case w.commitSlot <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	w.waitForClaims()
	acknowledge, err := w.commit(ctx)
	<-w.commitSlot
	for _, f := range acknowledge {
		fault.At("commit.acknowledge")
		f()
	}
	if err == nil {
		w.pruneSome(ctx)
	}
	return err
}

// waitForClaims waits until the transactions that took the leases are committed.
func (w *Writer) waitForClaims() {
	w.mu.Lock()
	runs := slices.Clone(w.runs)
	w.mu.Unlock()
	for _, r := range runs {
		<-r.claimed
	}
}

// Close commits what is sealed, releases all runs, prunes those that do not retain everything, and
// ends the Writer's goroutine. It may be called again after a failure.
func (w *Writer) Close(ctx context.Context) error {
	w.stop()
	w.mu.Lock()
	for _, r := range w.runs {
		r.setEnding("", nil)
	}
	w.mu.Unlock()
	if err := w.Flush(ctx); err != nil {
		return err
	}
	return w.pruneAll(ctx)
}

// commitIfFull commits if too much waits in memory. Once the context of [Store.StartWriter] is done,
// it returns nil if the work can still be committed later: the work then continues only to its next
// checkpoint.
func (w *Writer) commitIfFull() error {
	w.mu.Lock()
	rows := 0
	for _, r := range w.runs {
		rows += len(r.staged)
	}
	full := w.sealed > portion.Sealed || rows > portion.SealedRows
	w.mu.Unlock()
	if !full {
		return nil
	}
	return w.commitNow()
}

// isRetryable reports whether the same commit may succeed later.
func isRetryable(err error) bool {
	return errors.Is(err, ErrLocked) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
