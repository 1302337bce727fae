package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sender sends answers to clients, each of which must read every part of an answer within the timeout.
type sender struct{ Timeout time.Duration }

// partBytes is the size of such a part. A browser that works through a large answer on a
// busy machine reads on slowly; one that reads nothing has gone.
const partBytes = 1 << 20

// Send writes an answer to a client.
// Unless a handler set another Cache-Control, the answer must not be cached: it shows
// the store at one moment.
func (s sender) Send(w http.ResponseWriter, status int, a reply) {
	h := w.Header()
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("Content-Type", a.Kind)
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	s.LimitWriteTime(w)
	w.WriteHeader(status)
	for part := range slices.Chunk(a.Body, partBytes) {
		s.LimitWriteTime(w)
		if _, err := w.Write(part); err != nil { // the client has gone
			return
		}
	}
}

// LimitWriteTime bounds how long the client may take to read what is written from now
// on.
func (s sender) LimitWriteTime(w http.ResponseWriter) {
	// Some writers in tests do not support deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.Timeout))
}

// reply is a complete answer, computed before any of it is sent.
type reply struct {
	Status int    // 0 for 200 OK
	Kind   string // the content type
	Body   []byte
	Tag    string // the ETag, "" for none
	File   string // the Content-Disposition of a file to save, "" if it is not one
}

// bytes returns how many bytes of memory the answer takes.
func (r reply) bytes() int { return len(r.Tag) + len(r.Body) }

// Refuse sends an error as the answer.
func (s sender) Refuse(w http.ResponseWriter, err error) {
	s.setRetry(w, err)
	body, _ := json.Marshal(newFailure(err)) // two strings, which always encode
	s.Send(w, statusOf(err), reply{Kind: jsonKind, Body: append(body, '\n')})
}

// setRetry sets the header that tells a client when to ask again, for an error that passes.
func (s sender) setRetry(w http.ResponseWriter, err error) {
	if statusOf(err) == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
}

const (
	jsonKind = "application/json"
	htmlKind = "text/html; charset=utf-8"
	textKind = "text/plain; charset=utf-8"
)

// clientHas reports whether the client has an answer with that tag.
func clientHas(r *http.Request, tag string) bool {
	return tag != "" && strings.Contains(r.Header.Get("If-None-Match"), tag)
}
