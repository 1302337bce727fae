package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/watch"
	"github.com/podtrack/podtrack/schema"
)

// alive is how often a stream sends something even if nothing happens, so that the
// server notices a client that has gone.
const alive = 15 * time.Second

// events tells a client of changes to the store and of the state of unfinished runs,
// until the client or the server ends the connection.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	if _, err := parseQuery(r.URL.RawQuery, nil); err != nil {
		s.Refuse(w, err)
		return
	}
	if !s.streams.TryAcquire(1) {
		s.Refuse(w, busy())
		return
	}
	defer s.streams.release()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	s.watcher.Join()
	defer s.watcher.Leave()
	l := listener{server: s, w: w, sent: map[schema.Digest]string{}}
	_ = l.listen(r) // its error means that the client has gone
}

// listener is a client and what was sent to it.
type listener struct {
	server   *server
	w        http.ResponseWriter
	revision string
	locked   reply.Failure
	sent     map[schema.Digest]string
}

// listen sends events until the client has gone.
func (l *listener) listen(r *http.Request) error {
	beat := time.NewTicker(alive)
	defer beat.Stop()
	if err := l.write("retry: 1000\n\n"); err != nil {
		return err
	}
	for {
		seen, changed := l.server.watcher.Now()
		if err := l.sendChanges(seen); err != nil {
			return err
		}
		select {
		case <-r.Context().Done():
			return r.Context().Err()
		case <-changed:
		case <-beat.C:
			if err := l.write(": nothing new\n\n"); err != nil {
				return err
			}
		}
	}
}

// sendChanges sends what the client has not seen yet.
func (l *listener) sendChanges(seen *watch.Snapshot) error {
	if seen == nil {
		return nil
	}
	if l.locked != seen.Locked {
		if err := l.document("locked", seen.Locked); err != nil {
			return err
		}
		l.locked = seen.Locked
	}
	for id, r := range seen.Rows {
		if l.sent[id] == r.Document {
			continue
		}
		if err := l.event("run", r.Document); err != nil {
			return err
		}
		l.sent[id] = r.Document
	}
	for id := range l.sent {
		if _, there := seen.Rows[id]; !there {
			delete(l.sent, id)
		}
	}
	if l.revision == seen.Revision {
		return nil
	}
	l.revision = seen.Revision
	return l.document("revision", map[string]string{"revision": seen.Revision})
}

// document writes an event whose data are a document.
func (l *listener) document(name string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return l.event(name, string(text))
}

// event writes an event whose data are one line of JSON.
func (l *listener) event(name, data string) error {
	return l.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, data))
}

// write sends text to the client at once.
func (l *listener) write(text string) error {
	l.server.LimitWriteTime(l.w)
	if _, err := io.WriteString(l.w, text); err != nil {
		return err
	}
	return http.NewResponseController(l.w).Flush()
}
