package web

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// answer is a complete answer, computed before any of it is sent.
type answer struct {
	kind string // the content type
	body []byte
	tag  string // the ETag, "" for none
	file string // the Content-Disposition of a file to save, "" if it is not one
}

const (
	jsonKind   = "application/json"
	binaryKind = "application/octet-stream"
)

// document returns v encoded as JSON.
func document(v any) (answer, error) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return answer{}, fmt.Errorf("write the answer: %w", err)
	}
	return answer{kind: jsonKind, body: b.Bytes()}, nil
}

// appendFloats appends numbers to b, 8 bytes each, little-endian.
func appendFloats(b []byte, numbers ...float64) []byte {
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

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
