package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Env names an environment with its parameters, which are whole numbers or text.
// What an environment is made from, such as a map, is a parameter too, by its
// contents: a spec needs no other file.
type Env struct {
	Name    string            `cbor:"name" json:"name"`
	Version uint64            `cbor:"version" json:"version"`
	Params  map[string]int64  `cbor:"params" json:"params"`
	Text    map[string]string `cbor:"text,omitempty" json:"text,omitempty"`

	// External is what an environment in another process says of itself, nil for
	// those that this program has.
	External *External `cbor:"external,omitempty" json:"external,omitempty"`
}

// External is an environment that another process runs, as it declares itself.
// Its parameters are the texts.
type External struct {
	Version  string      `cbor:"version" json:"version"`
	Actions  []string    `cbor:"actions" json:"actions"`
	Observes Observation `cbor:"observes" json:"observes"`
	Features []string    `cbor:"features" json:"features"` // none where observations are discrete
	Size     int64       `cbor:"size" json:"size"`         // number of features
}

// Observation is what an environment tells an agent after each step.
type Observation string

// The kinds of observations.
const (
	Discrete Observation = "discrete" // one of Size numbers, seen as one-hot features
	Binary   Observation = "binary"   // features of 0 or 1
	Real     Observation = "real"     // finite features
)

// Clone is e with maps of its own.
func (e Env) Clone() Env {
	e.Params, e.Text = maps.Clone(e.Params), maps.Clone(e.Text)
	return e
}

// Parameters are the names of all parameters, in the order in which they are shown.
func (e Env) Parameters() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(e.Params)), maps.Keys(e.Text))))
}

// Parameter is a parameter as text. Of one that has several lines it is the
// beginning of their SHA-256.
func (e Env) Parameter(name string) (string, bool) {
	if v, ok := e.Params[name]; ok {
		return strconv.FormatInt(v, 10), true
	}
	text, ok := e.Text[name]
	if strings.Contains(text, "\n") {
		sum := sha256.Sum256([]byte(text))
		text = hex.EncodeToString(sum[:6])
	}
	return text, ok
}
