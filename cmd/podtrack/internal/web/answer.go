package web

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
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
