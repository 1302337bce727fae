package groupcommit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/internal/portion"
)

// A backgroundPruner prunes the runs of a [Writer] that do not retain everything: whenever about portion.Staged
// bytes of them have been committed, and at the end. It applies retentions as [gc.Prune] does, so it drops from
// a running run only records that the run no longer needs.
type backgroundPruner struct {
	pruneMu      sync.Mutex
	activePruner *gc.Pruner // nil if none is active; guarded by pruneMu

	// Guarded by Writer.mu.

	watched       map[schema.Digest][16]byte // runs to prune, with the tokens of their leases
	unprunedBytes int64                      // bytes committed since the last pruning
	pruneErr      error                      // why pruning has stopped
}

// watchForPruning adds a run to those that are pruned, unless it retains everything. Callers hold
// w.mu.
func (w *Writer) watchForPruning(r *RunWriter, k *tracker.Retention) {
	if k == nil {
		return
	}
	if w.watched == nil {
		w.watched = map[schema.Digest][16]byte{}
	}
	w.watched[r.id] = r.token
}

// countForPruning adds the size of a commit. Callers hold w.mu.
func (w *Writer) countForPruning(r *RunWriter, u *commitUnit) {
	if _, ok := w.watched[r.id]; ok {
		w.unprunedBytes += u.sealed
	}
}

// pruneSome prunes in one transaction if pruning is due, so that heartbeats wait no longer than that. Errors
// are retried, or returned by Close.
func (w *Writer) pruneSome(ctx context.Context) {
	if !w.isPruneDue() || !w.pruneMu.TryLock() {
		return
	}
	defer w.pruneMu.Unlock()
	if w.activePruner == nil {
		w.activePruner = w.newWatchedPruner()
	}
	w.notePruneResult(w.activePruner.Step(ctx))
}

func (w *Writer) isPruneDue() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pruneErr == nil && w.unprunedBytes >= portion.Staged
}

// pruneAll prunes the watched runs completely, when none is running any more.
func (w *Writer) pruneAll(ctx context.Context) error {
	w.pruneMu.Lock()
	defer w.pruneMu.Unlock()
	for w.pruneErr == nil && (w.activePruner != nil || len(w.watched) > 0) {
		if w.activePruner == nil {
			w.activePruner = w.newWatchedPruner()
		}
		if err := w.notePruneResult(w.activePruner.Step(ctx)); err != nil {
			return err
		}
	}
	return w.pruneErr
}

// notePruneResult records that the active pruner has finished or failed for good. Until then
// pruning stays due.
func (w *Writer) notePruneResult(err error) error {
	if err != nil && isRetryable(err) {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.pruneErr = fmt.Errorf("prune: %w", err)
	} else if !w.activePruner.IsDone() {
		return nil
	}
	w.activePruner, w.unprunedBytes = nil, 0
	return w.pruneErr
}

// newWatchedPruner returns a pruner of the watched runs, and stops watching those that have ended, since their
// state is final.
func (w *Writer) newWatchedPruner() *gc.Pruner {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []schema.Digest
	for id := range w.watched {
		ids = append(ids, id)
	}
	p := gc.NewPruner(w.store, ids)
	p.OwnLeases = maps.Clone(w.watched)
	maps.DeleteFunc(w.watched, func(id schema.Digest, _ [16]byte) bool {
		return !slices.ContainsFunc(w.runs, func(r *RunWriter) bool { return r.id == id })
	})
	return p
}
