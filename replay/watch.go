package replay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A StoreEvent is something that happened to a run of a store.
type StoreEvent struct {
	Kind EventKind
	Run  *Run // as it was after the event, or later; of a run that was removed only ID, Name and Short are known
	K    int  // of IterationDone: the iteration

	Initial bool // the event tells of the state that the run had when the watch began
}

// String returns the run's label and what happened, as in "first iteration 2" and "first failed: ENOSPC".
func (e StoreEvent) String() string {
	text := e.Run.Label() + " " + string(e.Kind)
	switch e.Kind {
	case IterationDone:
		text += fmt.Sprint(" ", e.K)
	case RunFailed:
		text += ": " + e.Run.Failure
	}
	return text
}

// EventKind is what happened to a run.
type EventKind string

// The events of a run. After RunStarted come the iterations, and one of the others.
const (
	RunStarted     EventKind = "started"     // a process works on a run that is new, or continues one
	IterationDone  EventKind = "iteration"   // iteration K is recorded
	RunComplete    EventKind = "complete"    // the run has its target
	RunInterrupted EventKind = "interrupted" // its process stopped, or ended without a trace
	RunFailed      EventKind = "failed"      // with the error in Run.Failure
	RunRemoved     EventKind = "removed"
)

// Watch yields what happens to the runs of the store, whichever process works on them. It begins with one event for
// each run that the store has, which tells of its state, and then waits for changes until ctx is done. It also waits
// for a store that does not exist yet, or is locked.
//
// Watch looks at the store's file twice a second, and opens it, for a few microseconds a run, only if it has changed,
// and never while the caller handles an event. So nothing that is committed is missed, but what happens between two
// looks comes together: iterations are yielded one by one, with the Run as it is after all of them, and a run that was
// continued and failed with the same text as before is not mentioned. If a process is killed, RunInterrupted comes once
// its lease is stale, at once if it ran on this machine. Runs that are merged into the store have the same events as if
// they had been made there; the shared iterations of a fork are not among its events.
//
// After an error there are no more events. If ctx ends, the error wraps [ErrInterrupted] and the context's error.
func (s *Store) Watch(ctx context.Context) iter.Seq2[StoreEvent, error] {
	return func(yield func(StoreEvent, error) bool) {
		w := watch{store: s, follower: s.tracker.Follow()}
		for {
			events, err := w.look(ctx)
			for _, e := range events {
				if ctx.Err() != nil {
					break
				}
				if !yield(e, nil) {
					return
				}
			}
			if err == nil {
				err = w.follower.Wait(ctx)
			}
			if err != nil {
				yield(StoreEvent{}, asInterruption(ctx, fmt.Errorf("watch the store: %w", err)))
				return
			}
		}
	}
}

// watch is what a call of [Store.Watch] knows of the store.
type watch struct {
	store    *Store
	follower *tracker.Follower
	seen     map[schema.Digest]standing // nil before the first look
}

// standing is what can change of a run.
type standing struct {
	name       string
	iterations int
	status     tracker.Status
	failure    string
}

// look returns what has happened since the last look, of the oldest run first.
func (w *watch) look(ctx context.Context) (events []StoreEvent, err error) {
	var now map[schema.Digest]standing
	read, err := w.follower.Look(ctx, 0, func(tx *tracker.Tx) (err error) {
		if now, err = readStandings(tx); err == nil {
			events, err = w.compare(tx, now)
		}
		return err
	})
	switch {
	case read:
		w.seen = now
	case errors.Is(err, tracker.ErrNoStore) && w.seen == nil:
		w.seen = map[schema.Digest]standing{} // what the store will have is new
	}
	if errors.Is(err, tracker.ErrNoStore) || errors.Is(err, tracker.ErrLocked) {
		err = nil // the next look tries again
	}
	if !read {
		events = nil
	}
	return events, err
}

// readStandings reads how all runs are. The store does not say which of them have changed.
func readStandings(tx *tracker.Tx) (map[schema.Digest]standing, error) {
	all := map[schema.Digest]standing{}
	err := tx.VisitAnnotations(func(id schema.Digest, a tracker.Annotation) error {
		done, _, err := tx.ReadHead(id)
		if err != nil {
			return err
		}
		status, err := tx.DeriveStatus(id, a, done)
		all[id] = standing{a.Name, done, status, a.Failure}
		return err
	})
	return all, err
}

// compare returns the events that led to how the runs are now. It reads the runs that have changed.
func (w *watch) compare(tx *tracker.Tx, now map[schema.Digest]standing) (events []StoreEvent, err error) {
	for id, before := range w.seen {
		if _, exists := now[id]; !exists {
			removed := &Run{Run: tracker.Run{ID: id}, Name: before.name, Short: tx.ShortID(id), store: w.store.tracker}
			events = append(events, StoreEvent{Kind: RunRemoved, Run: removed})
		}
	}
	slices.SortFunc(events, func(a, b StoreEvent) int { return bytes.Compare(a.Run.ID[:], b.Run.ID[:]) })
	var changed []*Run
	for id, is := range now {
		if before, known := w.seen[id]; known && before == is {
			continue
		}
		source, err := tx.ReadRun(id)
		if err != nil {
			return nil, err
		}
		run, err := w.store.ReadRun(tx, source)
		if err != nil {
			return nil, err
		}
		now[id] = standing{run.Name, run.Iterations, run.Status, run.Failure} // it may have died since
		changed = append(changed, run)
	}
	slices.SortFunc(changed, func(a, b *Run) int { return cmp.Compare(a.Number, b.Number) })
	for _, run := range changed {
		if w.seen == nil {
			events = append(events, StoreEvent{Kind: stateOf(run), Run: run, Initial: true})
			continue
		}
		for _, e := range eventsSince(w.seen[run.ID], run) {
			e.Run = new(*run)
			events = append(events, e)
		}
	}
	return events, nil
}

// stateOf returns the last event of a run.
func stateOf(r *Run) EventKind {
	if r.Status == tracker.Running {
		return RunStarted
	}
	return EventKind(r.Status)
}

// eventsSince returns the events of a run since it was like before, which is zero for a new one.
func eventsSince(before standing, r *Run) (events []StoreEvent) {
	if before.iterations > r.Iterations {
		before = standing{} // it was removed, and made again
	}
	if n := len(r.Ancestors); n > 0 {
		before.iterations = max(before.iterations, r.Ancestors[n-1].Until)
	}
	isRunning := r.Status == tracker.Running
	begun := before.status == "" ||
		before.status != tracker.Running && (isRunning || r.Iterations > before.iterations)
	if begun {
		events = append(events, StoreEvent{Kind: RunStarted})
	}
	for k := before.iterations; k < r.Iterations; k++ {
		events = append(events, StoreEvent{Kind: IterationDone, K: k})
	}
	failedAnew := r.Status == tracker.Failed && r.Failure != before.failure
	if !isRunning && (begun || r.Status != before.status || failedAnew) {
		events = append(events, StoreEvent{Kind: stateOf(r)})
	}
	return events
}
