package tracker

import (
	"context"
	"fmt"
	"sync"

	"github.com/podtrack/podtrack/schema"
)

// sweeper prunes the runs of a [Writer] as they grow: those of which not
// everything is kept, whenever about maxStaged bytes of them have been committed,
// and at the end. It drops by what rows say, like everybody else, so of a run that
// is still at work only what that never needs again.
type sweeper struct {
	sweeping sync.Mutex

	// Guarded by Writer.mu.

	watched map[schema.Digest][16]byte // runs to prune, with the tokens of their leases
	unswept int64                      // bytes of them since the last time
	swept   error                      // why nothing more is pruned
}

// watch is for callers that hold w.mu.
func (w *Writer) watch(r *RunWriter, k *Keep) {
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

func (w *Writer) sweepDue() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unswept >= maxStaged
}

// sweep prunes the watched runs and forgets those that have ended. What a lock
// that was not had keeps from being pruned is left for the next time.
func (w *Writer) sweep(ctx context.Context) error {
	w.sweeping.Lock()
	defer w.sweeping.Unlock()
	p, ended, err := w.toSweep()
	if p == nil || err != nil {
		return err
	}
	err = p.sweep(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil:
		for _, id := range ended {
			delete(w.watched, id)
		}
	case !retryable(err):
		w.swept = fmt.Errorf("prune: %w", err)
	}
	return err
}

// toSweep is a pruner of the watched runs, nil where there are none, and those of
// them that this Writer does not work on any more.
func (w *Writer) toSweep() (p *pruner, ended []schema.Digest, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.swept != nil || len(w.watched) == 0 {
		return nil, nil, w.swept
	}
	working := map[schema.Digest]bool{}
	for _, r := range w.runs {
		working[r.id] = true
	}
	own := map[schema.Digest][16]byte{}
	var ids []schema.Digest
	for id, token := range w.watched {
		own[id] = token
		ids = append(ids, id)
		if !working[id] {
			ended = append(ended, id)
		}
	}
	w.unswept = 0
	p = newPruner(w.store, ids)
	p.own = own
	return p, ended, nil
}
