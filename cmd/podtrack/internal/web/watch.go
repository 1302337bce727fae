package web

import (
	"context"
	"sync"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// glance is how often a watcher looks at the store.
const glance = 500 * time.Millisecond

// watcher looks at the store on behalf of all listeners, as long as there are any.
type watcher struct {
	store *tracker.Store

	mu        sync.Mutex
	listeners int
	stop      context.CancelFunc
	seen      *snapshot     // nil before the first snapshot
	changed   chan struct{} // closed when there is a newer snapshot
}

// newWatcher returns a watcher without listeners.
func newWatcher(store *tracker.Store) *watcher {
	return &watcher{store: store, changed: make(chan struct{})}
}

// join adds a listener. The first one starts the watching.
func (w *watcher) join() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listeners++; w.listeners > 1 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	go w.watch(ctx)
}

// leave removes a listener. The last one stops the watching.
func (w *watcher) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listeners--; w.listeners == 0 {
		w.stop()
		w.seen = nil
	}
}

// now returns the last snapshot, nil if there is none yet, and a channel that is closed
// when there is a newer one.
func (w *watcher) now() (*snapshot, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen, w.changed
}

// watch polls the store until the context is done.
func (w *watcher) watch(ctx context.Context) {
	l := poller{store: w.store, seen: snapshot{rows: map[schema.Digest]row{}}}
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	for {
		if l.poll(ctx, time.Now()) {
			w.publish(ctx, l.seen)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// publish makes a snapshot known to all listeners. A slow client that missed earlier
// snapshots sees only the latest, so nothing piles up for it.
func (w *watcher) publish(ctx context.Context, seen snapshot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil { // the listeners that it looked for have left
		return
	}
	w.seen = &seen
	close(w.changed)
	w.changed = make(chan struct{})
}
