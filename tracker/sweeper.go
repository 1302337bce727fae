package tracker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
)

// sweeper prunes the runs of a [Writer] as they grow: those of which not
// everything is kept, whenever about maxStaged bytes of them have been committed,
// and at the end. It drops by what rows say, like everybody else, so of a run that
// is still at work only what that never needs again.
type sweeper struct {
	sweeping sync.Mutex
	under    *pruner // under way; guarded by sweeping

	// Guarded by Writer.mu.

	watched map[schema.Digest][16]byte // runs to prune, with the tokens of their leases
	unswept int64                      // bytes of them since the last time
	swept   error                      // why nothing more is pruned
}

// watch is for callers that hold w.mu.
func (w *Writer) watch(r *RunWriter, k *Retention) {
	if k == nil {
		return
	}
	if w.watched == nil {
		w.watched = map[schema.Digest][16]byte{}
	}
	w.watched[r.id] = r.token
}

// count notes what a commit held. It is for callers that hold w.mu.
func (w *Writer) count(r *RunWriter, u *unit) {
	if _, ok := w.watched[r.id]; ok {
		w.unswept += u.sealed
	}
}

// sweepSome is one transaction, if it is time for it: heartbeats do not wait for
// longer. What goes wrong is said by Close, or is tried again.
func (w *Writer) sweepSome(ctx context.Context) {
	if !w.sweepDue() || !w.sweeping.TryLock() {
		return
	}
	defer w.sweeping.Unlock()
	if w.under == nil {
		w.under = w.toSweep()
	}
	w.settleSweep(w.under.advance(ctx))
}

func (w *Writer) sweepDue() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.swept == nil && w.unswept >= maxStaged
}

// sweepAll prunes the watched runs to the end, when none is at work any more.
func (w *Writer) sweepAll(ctx context.Context) error {
	w.sweeping.Lock()
	defer w.sweeping.Unlock()
	for w.swept == nil && (w.under != nil || len(w.watched) > 0) {
		if w.under == nil {
			w.under = w.toSweep()
		}
		if err := w.settleSweep(w.under.advance(ctx)); err != nil {
			return err
		}
	}
	return w.swept
}

// settleSweep notes that a pruner has come to its end, or an error that another
// try would not mend. Until then it is due again.
func (w *Writer) settleSweep(err error) error {
	if err != nil && retryable(err) {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.swept = fmt.Errorf("prune: %w", err)
	} else if !w.under.done() {
		return nil
	}
	w.under, w.unswept = nil, 0
	return w.swept
}

// toSweep is a pruner of the watched runs. Those that have ended are not watched
// any more: it finds them as they will stay.
func (w *Writer) toSweep() *pruner {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []schema.Digest
	for id := range w.watched {
		ids = append(ids, id)
	}
	p := newPruner(w.store, ids)
	p.own = maps.Clone(w.watched)
	maps.DeleteFunc(w.watched, func(id schema.Digest, _ [16]byte) bool {
		return !slices.ContainsFunc(w.runs, func(r *RunWriter) bool { return r.id == id })
	})
	return p
}
