package web

import (
	"context"
	"sync"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// snapshot is how it stands with a store.
type snapshot struct {
	revision string
	rows     map[schema.Digest]row // of the runs that were at work since somebody listens
}

// row is a run as lists show it, in JSON.
type row struct {
	document string
	ended    bool
}

// glance is how often a watcher looks.
const glance = 500 * time.Millisecond

// watcher looks at the store for all who listen, as long as anybody does.
type watcher struct {
	store *tracker.Store

	mu        sync.Mutex
	listeners int
	stop      context.CancelFunc
	seen      *snapshot     // nil before the first look
	changed   chan struct{} // closed when there is another sight
}

func newWatcher(store *tracker.Store) *watcher {
	return &watcher{store: store, changed: make(chan struct{})}
}

// join begins to look, for the first who listens.
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

// leave ends that when the last is gone.
func (w *watcher) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listeners--; w.listeners == 0 {
		w.stop()
		w.seen = nil
	}
}

// now is what was seen last, nil for nothing yet, and what is closed when that is
// no longer so.
func (w *watcher) now() (*snapshot, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen, w.changed
}

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

// publish tells all who listen. Whoever has not heard of the sight before hears of
// this one alone, so that nothing piles up for a slow client.
func (w *watcher) publish(ctx context.Context, seen snapshot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil { // looked for listeners who are gone
		return
	}
	w.seen = &seen
	close(w.changed)
	w.changed = make(chan struct{})
}
