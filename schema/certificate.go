package schema

import (
	"cmp"
	"strconv"
)

// A Termination is the degree to which an option is known to terminate.
type Termination string

// The degrees. Proved means that every path from I, by the model, ends in T; Observed, that by the observed
// transitions T is reached from every observed state of I.
const (
	Proved   Termination = "proved"
	Observed Termination = "observed"
	Unknown  Termination = "unknown"
)

var terminations = []Termination{Proved, Observed, Unknown}

// A PathLength is a number of steps. It is 0, and null in JSON, if I is empty or no path is known, as in
// environments whose actions have random outcomes.
type PathLength int64

// String returns the number, or "" for 0.
func (p PathLength) String() string {
	if p == 0 {
		return ""
	}
	return strconv.FormatInt(int64(p), 10)
}

// MarshalJSON implements [json.Marshaler].
func (p PathLength) MarshalJSON() ([]byte, error) { return []byte(cmp.Or(p.String(), "null")), nil }

// A Certificate is what was verified about an option when it was made.
type Certificate struct {
	Termination Termination `cbor:"termination" json:"termination"`
	Acyclic     bool        `cbor:"acyclic" json:"acyclic"`       // no cycle in the policy's graph
	Longest     PathLength  `cbor:"longest" json:"longest"`       // steps of the longest path from I to T
	Reach       *float64    `cbor:"reach" json:"reach"`           // mean steps from I to T, nil for an empty I
	Initiation  int64       `cbor:"initiation" json:"initiation"` // states in I
	PeakQ       float64     `cbor:"peak_q" json:"peak_q"`         // max_a q at the state of largest w
	Tolerance   float64     `cbor:"tolerance" json:"tolerance"`   // values up to it counted as 0
	Null        bool        `cbor:"null" json:"null"`             // I is empty: no q exceeds the tolerance

	// MaxSteps is the number of steps after which a call is truncated, if termination
	// is not proved; 0 for never.
	MaxSteps int64 `cbor:"max_steps,omitempty" json:"max_steps,omitempty"`

	// Closed is true if the option terminates in every state that its learner did not observe: the weights do not
	// extend its policy to states that become known later.
	Closed bool `cbor:"closed,omitempty" json:"closed,omitempty"`
}
