package tracker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
)

// backgroundPruner prunes the runs of a [Writer] as they grow: those of which not
// everything is kept, whenever about maxStaged bytes of them have been committed,
// and at the end. It drops by what rows say, like everybody else, so of a run that
// is still at work only what that never needs again.
type backgroundPruner struct {
	pruneMu      sync.Mutex
	activePruner *pruner // under way; guarded by sweeping

	// Guarded by Writer.mu.

	watched       map[schema.Digest][16]byte // runs to prune, with the tokens of their leases
	unprunedBytes int64                      // bytes of them since the last time
	pruneErr      error                      // why nothing more is pruned
}

// watchForPruning is for callers that hold w.mu.
func (w *Writer) watchForPruning(r *RunWriter, k *Retention) {
	if k == nil {
		return
	}
	if w.watched == nil {
		w.watched = map[schema.Digest][16]byte{}
	}
	w.watched[r.id] = r.token
}

// countForPruning notes what a commit held. It is for callers that hold w.mu.
func (w *Writer) countForPruning(r *RunWriter, u *commitUnit) {
	if _, ok := w.watched[r.id]; ok {
		w.unprunedBytes += u.sealed
	}
}

// pruneSome is one transaction, if it is time for it: heartbeats do not wait for
// longer. What goes wrong is said by Close, or is tried again.
func (w *Writer) pruneSome(ctx context.Context) {
	if !w.isPruneDue() || !w.pruneMu.TryLock() {
		return
	}
	defer w.pruneMu.Unlock()
	if w.activePruner == nil {
		w.activePruner = w.newWatchedPruner()
	}
	w.notePruneResult(w.activePruner.step(ctx))
}

func (w *Writer) isPruneDue() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pruneErr == nil && w.unprunedBytes >= maxStaged
}

// pruneAll prunes the watched runs to the end, when none is at work any more.
func (w *Writer) pruneAll(ctx context.Context) error {
	w.pruneMu.Lock()
	defer w.pruneMu.Unlock()
	for w.pruneErr == nil && (w.activePruner != nil || len(w.watched) > 0) {
		if w.activePruner == nil {
			w.activePruner = w.newWatchedPruner()
		}
		if err := w.notePruneResult(w.activePruner.step(ctx)); err != nil {
			return err
		}
	}
	return w.pruneErr
}

// notePruneResult notes that a pruner has come to its end, or an error that another
// try would not mend. Until then it is due again.
func (w *Writer) notePruneResult(err error) error {
	if err != nil && isRetryable(err) {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.pruneErr = fmt.Errorf("prune: %w", err)
	} else if !w.activePruner.isDone() {
		return nil
	}
	w.activePruner, w.unprunedBytes = nil, 0
	return w.pruneErr
}

// newWatchedPruner is a pruner of the watched runs. Those that have ended are not watched
// any more: it finds them as they will stay.
func (w *Writer) newWatchedPruner() *pruner {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []schema.Digest
	for id := range w.watched {
		ids = append(ids, id)
	}
	p := newPruner(w.store, ids)
	p.ownLeases = maps.Clone(w.watched)
	maps.DeleteFunc(w.watched, func(id schema.Digest, _ [16]byte) bool {
		return !slices.ContainsFunc(w.runs, func(r *RunWriter) bool { return r.id == id })
	})
	return p
}
