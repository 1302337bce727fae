package watch

import (
	"context"
	"sync"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Watcher looks at the store on behalf of all listeners, as long as there are any.
type Watcher struct {
	store    *tracker.Store
	describe describer

	mu        sync.Mutex
	listeners int
	stop      context.CancelFunc
	seen      *Snapshot     // nil before the first snapshot
	changed   chan struct{} // closed when there is a newer snapshot
}

// describer returns what listeners are told of a run, as one transaction sees it.
type describer func(*tracker.Tx, report.Run) (any, error)

// NewWatcher returns a watcher without listeners.
func NewWatcher(store *tracker.Store, describe describer) *Watcher {
	return &Watcher{store: store, describe: describe, changed: make(chan struct{})}
}

// Join adds a listener. The first one starts the watching.
func (w *Watcher) Join() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listeners++; w.listeners > 1 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	go w.watch(ctx)
}

// Leave removes a listener. The last one stops the watching.
func (w *Watcher) Leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listeners--; w.listeners == 0 {
		w.stop()
		w.seen = nil
	}
}

// Now returns the last snapshot, nil if there is none yet, and a channel that is closed
// when there is a newer one.
func (w *Watcher) Now() (*Snapshot, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen, w.changed
}

// watch polls the store until the context is done.
func (w *Watcher) watch(ctx context.Context) {
	p := poller{store: w.store.Follow(), describe: w.describe, seen: Snapshot{Rows: map[schema.Digest]row{}}}
	for {
		if p.poll(ctx) {
			w.publish(ctx, p.seen)
		}
		if p.store.Wait(ctx) != nil {
			return
		}
	}
}

// publish makes a snapshot known to all listeners. A slow client that missed earlier
// snapshots sees only the latest, so nothing piles up for it.
func (w *Watcher) publish(ctx context.Context, seen Snapshot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil { // the listeners that it looked for have left
		return
	}
	w.seen = &seen
	close(w.changed)
	w.changed = make(chan struct{})
}
