package reply

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// ClientHas reports whether the client has an answer with that tag.
func ClientHas(r *http.Request, tag string) bool {
	return tag != "" && strings.Contains(r.Header.Get("If-None-Match"), tag)
}
