// Package groupcommit is podtrack's own: it writes the results of runs into a store, and commits the work of
// all runs of a process in groups, since each commit waits for the disk and excludes all other processes.
//
// [Start] starts a [Writer]. [Writer.Acquire] takes the lease of a run and returns its [RunWriter], which accepts
// records and seals them by naming them in a checkpoint or an iteration. Sealed work is committed once a second, or on
// request. Of runs that do not keep everything, a commit writes only what they keep or need to continue.
package groupcommit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/portion"
)

// A Writer commits the work of all runs of a process in groups. Its goroutine commits work that has waited long
// enough, and refreshes leases. It must be closed.
type Writer struct {
	store      *tracker.Store
	opts       tracker.Options // of the store
	commitNow  func() error    // commits sealed work, under the context of [Start]
	commitSlot chan struct{}   // held by the running commit
	stop       func()          // ends the goroutine and waits for it
	claiming   sync.Mutex      // held by the running transaction that takes leases

	mu     sync.Mutex // guards what follows, and the fields of every RunWriter
	runs   []*RunWriter
	claims []*pendingClaim // in the order of their arrival
	sealed int64           // bytes waiting for a commit
	last   time.Time       // of the last commit, or when nothing was left to commit
	err    error           // why nothing more can be committed
}

// Start starts a Writer. When ctx is done, sealed work waits for [Writer.Flush] or [Writer.Close] with another context.
func Start(ctx context.Context, s *tracker.Store) *Writer {
	w := &Writer{store: s, opts: s.Options(), commitSlot: make(chan struct{}, 1), last: s.Now()}
	w.commitNow = func() error {
		err := w.Flush(ctx)
		if ctx.Err() != nil && isRetryable(err) {
			return nil
		}
		return err
	}
	until, cancel := context.WithCancel(ctx)
	var loop sync.WaitGroup
	loop.Go(func() { w.loop(until) })
	w.stop = func() { cancel(); loop.Wait() }
	return w
}

// loop calls tick four times per commit interval, so that work waits at most a quarter longer.
func (w *Writer) loop(ctx context.Context) {
	ticker := time.NewTicker(max(min(w.opts.CommitEvery, w.opts.Heartbeat)/4, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
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
	now := w.store.Now()
	waited := now.Sub(w.last) >= w.opts.CommitEvery
	return slices.ContainsFunc(w.runs, func(r *RunWriter) bool {
		return waited && r.isDirty() || now.Sub(r.heartbeat) >= w.opts.Heartbeat
	})
}

// Flush commits all sealed work now. After [tracker.ErrLocked] or the error of a context the work remains
// queued; after any other error nothing more can be committed.
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

// Close commits sealed work, releases all runs, and ends the Writer's goroutine. It may be called again after a
// failure.
func (w *Writer) Close(ctx context.Context) error {
	w.stop()
	w.mu.Lock()
	for _, r := range w.runs {
		r.setEnding(ending{})
	}
	w.mu.Unlock()
	return w.Flush(ctx)
}

// commitIfFull commits if too much work is queued. Once the context of [Start] is done, it returns nil if the
// work can still be committed later: the run then continues only to its next checkpoint.
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
	return errors.Is(err, tracker.ErrLocked) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded)
}
