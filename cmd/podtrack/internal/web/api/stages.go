package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
)

// progress is a line of an answer in stages: what is being done, how much is done, and what is known so far.
type progress struct {
	Doing string `json:"doing,omitempty"`
	Done  int    `json:"done"`
	Of    int    `json:"of"`

	Report any `json:"report,omitempty"`
}

// longestStages is how long an answer in stages may take. The client sees how far it is, and ends it by going.
const longestStages = 15 * time.Minute

// handleStages returns the handler of an endpoint that answers in lines of JSON, each sent as soon as it is known. An
// error behind the first line is a line of its own.
func (s *server) handleStages(e stagedEndpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := &lineWriter{server: s, w: w}
		if err := s.writeStages(e, r, l); err != nil {
			if !l.begun {
				s.Refuse(w, err)
				return
			}
			_ = l.write(reply.NewFailure(err)) // its error means that the client has gone
		}
	})
}

// writeStages computes the answer, one of the heavy ones, and writes its lines.
func (s *server) writeStages(e stagedEndpoint, r *http.Request, l *lineWriter) error {
	q, err := parseQuery(r.URL.RawQuery, e.params)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), longestStages)
	defer cancel()
	asked := &request{Request: r.WithContext(ctx), query: q}
	if err := s.checkNames(asked); err != nil {
		return err
	}
	if err := s.heavy.acquire(ctx); err != nil {
		return err
	}
	defer s.heavy.release()
	return e.answer(asked, func(p progress) error { return l.write(p) })
}

// lineWriter writes lines of JSON to a client.
type lineWriter struct {
	server *server
	w      http.ResponseWriter
	begun  bool
}

// write sends a line at once.
func (l *lineWriter) write(v any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	if !l.begun {
		h := l.w.Header()
		h.Set("Content-Type", "application/x-ndjson")
		h.Set("Cache-Control", "no-store")
		l.begun = true
	}
	l.server.LimitWriteTime(l.w)
	if _, err := l.w.Write(b.Bytes()); err != nil {
		return err
	}
	return http.NewResponseController(l.w).Flush()
}
