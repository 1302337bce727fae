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
func (s StoreEvent) String() string {
	text := s.Run.Label() + " " + string(s.Kind)
	switch s.Kind {
	case IterationDone:
		text += fmt.Sprint(" ", s.K)
	case RunFailed:
		text += ": " + s.Run.Failure
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
			err := w.look(ctx)
			for err == nil && len(w.changes) > 0 {
				var events []StoreEvent
				events, err = w.readEvents(ctx)
				for _, e := range events {
					if ctx.Err() != nil {
						break
					}
					if !yield(e, nil) {
						return
					}
				}
			}
			if errors.Is(err, tracker.ErrNoStore) || errors.Is(err, tracker.ErrLocked) {
				err = nil // the next look tries again
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
	changes  []change                   // whose events are still to be yielded
}

// standing is what can change of a run.
type standing struct {
	name       string
	created    int64
	iterations int
	status     tracker.Status
	failure    string
}

// change is a run that differs between two looks.
type change struct {
	id          schema.Digest
	before, now standing // zero if there was, or is, no such run
	initial     bool
}

// look finds what has changed since the last look. It reads little of each run: that is all that the store is held open
// for, since it has many runs and does not say which of them have changed.
func (w *watch) look(ctx context.Context) error {
	now := map[schema.Digest]standing{}
	read, err := w.follower.Look(ctx, 0, func(tx *tracker.Tx) error {
		return tx.VisitAnnotations(func(id schema.Digest, a tracker.Annotation) error {
			done, _, err := tx.ReadHead(id)
			if err != nil {
				return err
			}
			status, err := tx.DeriveStatus(id, a, done)
			now[id] = standing{a.Name, a.Created, done, status, a.Failure}
			return err
		})
	})
	if read {
		w.compare(now)
	} else if errors.Is(err, tracker.ErrNoStore) && w.seen == nil {
		w.seen = now // empty: what the store will have is new
	}
	return err
}

// compare adds the changes between the last look and now, of the oldest run first.
func (w *watch) compare(now map[schema.Digest]standing) {
	var changes []change
	for id, before := range w.seen {
		if _, exists := now[id]; !exists {
			changes = append(changes, change{id: id, before: before})
		}
	}
	for id, is := range now {
		if before := w.seen[id]; before != is {
			changes = append(changes, change{id, before, is, w.seen == nil})
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.age(), b.age()), bytes.Compare(a.id[:], b.id[:]))
	})
	w.changes, w.seen = append(w.changes, changes...), now
}

// age returns when the run was created, in Unix nanoseconds.
func (c change) age() int64 { return max(c.before.created, c.now.created) }

// readAtOnce is the number of runs that are read in one transaction.
const readAtOnce = 100

// readEvents returns the events of some changes, and forgets these.
func (w *watch) readEvents(ctx context.Context) (events []StoreEvent, err error) {
	some := w.changes[:min(len(w.changes), readAtOnce)]
	err = w.store.tracker.View(ctx, func(tx *tracker.Tx) error {
		for _, c := range some {
			run := &Run{Run: tracker.Run{ID: c.id}, Name: c.before.name, Short: tx.ShortID(c.id), store: w.store.tracker}
			if c.now.status != "" {
				source, err := tx.ReadRun(c.id)
				if errors.Is(err, tracker.ErrMissing) {
					continue // it is removed by now, as the next look finds
				}
				if err == nil {
					run, err = w.store.ReadRun(tx, source)
				}
				if err != nil {
					return err
				}
			}
			for _, e := range c.events(run.Ancestors) {
				e.Run = new(*run)
				if e.Kind == RunFailed {
					e.Run.Failure = c.now.failure // even if it goes on by now
				}
				events = append(events, e)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.changes = w.changes[len(some):]
	return events, nil
}

// events returns the events of the change, without the run. A fork's ancestors made its first iterations.
func (c change) events(ancestors []tracker.Ancestor) (events []StoreEvent) {
	end, isRunning := EventKind(c.now.status), c.now.status == tracker.Running
	switch {
	case c.now.status == "":
		return []StoreEvent{{Kind: RunRemoved}}
	case c.initial && isRunning:
		return []StoreEvent{{Kind: RunStarted, Initial: true}}
	case c.initial:
		return []StoreEvent{{Kind: end, Initial: true}}
	}
	before := c.before
	if before.iterations > c.now.iterations {
		before = standing{} // it was removed, and made again
	}
	if n := len(ancestors); n > 0 {
		before.iterations = max(before.iterations, ancestors[n-1].Until)
	}
	begun := before.status == "" ||
		before.status != tracker.Running && (isRunning || c.now.iterations > before.iterations)
	if begun {
		events = append(events, StoreEvent{Kind: RunStarted})
	}
	for k := before.iterations; k < c.now.iterations; k++ {
		events = append(events, StoreEvent{Kind: IterationDone, K: k})
	}
	failedAnew := end == RunFailed && c.now.failure != before.failure
	if !isRunning && (begun || c.now.status != before.status || failedAnew) {
		events = append(events, StoreEvent{Kind: end})
	}
	return events
}
