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

// answer is all of one, computed.
type answer struct {
	kind string // of its content
	body []byte
	tag  string // its ETag, "" for none
	file string // the Content-Disposition of a file to be saved, "" for what is none
}

const (
	jsonKind   = "application/json"
	binaryKind = "application/octet-stream"
)

// document is an answer in JSON.
func document(v any) (answer, error) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return answer{}, fmt.Errorf("write the answer: %w", err)
	}
	return answer{kind: jsonKind, body: b.Bytes()}, nil
}

// appendFloats puts numbers behind b, 8 bytes each, little-endian.
func appendFloats(b []byte, numbers ...float64) []byte {
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// send writes an answer to a client, who has to read it in time. It is of one
// moment, so that nobody may keep it.
func (s *server) send(w http.ResponseWriter, status int, a answer) {
	h := w.Header()
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("Content-Type", a.kind)
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	s.limitWriteTime(w)
	w.WriteHeader(status)
	_, _ = w.Write(a.body) // to a client that is gone, which nobody is to be told
}

// limitWriteTime bounds how long the client may take to read what is written from now on.
func (s *server) limitWriteTime(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.Patience)) // not all writers of tests can
}
