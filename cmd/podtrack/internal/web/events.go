package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/podtrack/podtrack/tracker"
)

const (
	alive      = 15 * time.Second // after which a stream sends something, so that the server notices who has gone
	inspect    = 2 * time.Second  // after which a store with runs at work is read, even if the file has not changed
	maxStreams = 64
)

// watch looks at the store on behalf of all pages that are open, as long as there are any.
type watch struct {
	store *tracker.Store

	mu      sync.Mutex
	pages   int
	stop    context.CancelFunc
	state   string        // of the store, "" before the first look
	changed chan struct{} // closed when there is another state
}

func newWatch(store *tracker.Store) *watch { return &watch{store: store, changed: make(chan struct{})} }

// join adds a page, unless there are too many.
func (w *watch) join() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pages >= maxStreams {
		return false
	}
	if w.pages++; w.pages == 1 {
		ctx, stop := context.WithCancel(context.Background())
		w.stop = stop
		go w.look(ctx)
	}
	return true
}

// leave takes a page away. The last one stops the watching.
func (w *watch) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pages--; w.pages == 0 {
		w.stop()
		w.state = ""
	}
}

// now returns the state of the store, and a channel that is closed when it is another.
func (w *watch) now() (state string, changed <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state, w.changed
}

// look looks again and again until the context is done. A store that cannot be read is in another state, whose reason
// the page learns from its next request.
func (w *watch) look(ctx context.Context) {
	follower, state := w.store.Follow(), ""
	for {
		_, err := follower.Look(ctx, inspect, func(tx *tracker.Tx) (err error) {
			state, err = stateOf(tx)
			return err
		})
		if err != nil {
			state = "unreadable: " + err.Error()
		}
		w.publish(ctx, state)
		if follower.Wait(ctx) != nil {
			return
		}
	}
}

func (w *watch) publish(ctx context.Context, state string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() == nil && w.state != state {
		w.state = state
		close(w.changed)
		w.changed = make(chan struct{})
	}
}

// stateOf returns a text that is another one whenever a list of runs may be.
func stateOf(tx *tracker.Tx) (string, error) {
	revision, err := tx.Revision()
	if err != nil {
		return "", err
	}
	live, err := tx.LiveLeases()
	ids := make([]string, len(live))
	for i, l := range live {
		ids[i] = fmt.Sprintf("%x", l.Token)
	}
	return fmt.Sprint(revision, ids), err
}

// events tells a page whenever the store has changed, until either ends the connection.
func (s *site) events(w http.ResponseWriter, r *http.Request) {
	if !s.watch.join() {
		s.Refuse(w, busy())
		return
	}
	defer s.watch.leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // for proxies, which would hold events back
	send := func(text string) bool {
		s.LimitWriteTime(w)
		_, err := io.WriteString(w, text)
		return err == nil && http.NewResponseController(w).Flush() == nil
	}
	beat := time.NewTicker(alive)
	defer beat.Stop()
	sent := ""
	for ok := send("retry: 1000\n\n"); ok; {
		state, changed := s.watch.now()
		if state != "" && state != sent {
			sent = state
			ok = send(fmt.Sprintf("event: change\ndata: %.16x\n\n", hashOf(state)))
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-beat.C:
			ok = ok && send(": nothing new\n\n")
		}
	}
}
