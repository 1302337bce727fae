package web

import (
	"net/http"
	"strconv"
	"time"
)

// send writes an answer to a client, who must read it within the timeout of the server.
// Unless a handler set another Cache-Control, the answer must not be cached: it shows
// the store at one moment.
func (s *server) send(w http.ResponseWriter, status int, a answer) {
	h := w.Header()
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("Content-Type", a.kind)
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	s.limitWriteTime(w)
	w.WriteHeader(status)
	_, _ = w.Write(a.body) // an error here means that the client has gone
}

// limitWriteTime bounds how long the client may take to read what is written from now
// on.
func (s *server) limitWriteTime(w http.ResponseWriter) {
	// Some writers in tests do not support deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.Timeout))
}

// refuse sends an error as the answer.
func (s *server) refuse(w http.ResponseWriter, err error) {
	f := newFailure(err)
	status := statusOf(err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	if f.Remedy == "" {
		f.Remedy = "ask again; if it stays so, the same command on the command line may say more"
	}
	a, _ := document(f) // two strings, which always encode
	s.send(w, status, a)
}
