package reply

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
)

// Answer is a complete answer, computed before any of it is sent.
type Answer struct {
	Kind string // the content type
	Body []byte
	Tag  string // the ETag, "" for none
	File string // the Content-Disposition of a file to save, "" if it is not one
}

const (
	JSONKind   = "application/json"
	BinaryKind = "application/octet-stream"
)

// JSON returns v encoded as JSON.
func JSON(v any) (Answer, error) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return Answer{}, fmt.Errorf("write the answer: %w", err)
	}
	return Answer{Kind: JSONKind, Body: b.Bytes()}, nil
}

// AppendFloats appends numbers to b, 8 bytes each, little-endian.
func AppendFloats(b []byte, numbers ...float64) []byte {
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// ClientHas reports whether the client has an answer with that tag.
func ClientHas(r *http.Request, tag string) bool {
	return tag != "" && strings.Contains(r.Header.Get("If-None-Match"), tag)
}
