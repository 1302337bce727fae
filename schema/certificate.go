package schema

import (
	"cmp"
	"strconv"
)

// Termination is what is known about whether an option terminates.
type Termination string

// The degrees of knowledge. Proved: the policy's graph was followed from every
// state of I and ends in T.
const (
	Proved   Termination = "proved"
	Observed Termination = "observed"
	Unknown  Termination = "unknown"
)

var terminations = []Termination{Proved, Observed, Unknown}

// A PathLength is a number of steps. It is 0 where no path is known, as with actions of chance, or where I is empty;
// JSON has null for that.
type PathLength int64

// String returns the number, "" where no path is known.
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
	Reach       *float64    `cbor:"reach" json:"reach"`           // mean steps over I, nil for an empty I
	Initiation  int64       `cbor:"initiation" json:"initiation"` // states in I
	PeakQ       float64     `cbor:"peak_q" json:"peak_q"`         // max_a q at the state of largest w
	Tolerance   float64     `cbor:"tolerance" json:"tolerance"`   // the one in effect
	Null        bool        `cbor:"null" json:"null"`             // I is empty: no q exceeds the tolerance

	// MaxSteps is the number of steps after which a call is truncated, if termination
	// is not proved; 0 for never.
	MaxSteps int64 `cbor:"max_steps,omitempty" json:"max_steps,omitempty"`

	// Closed tells that the option ends in all states that its learner did not observe: the
	// weights do not extend its policy to those that become known later.
	Closed bool `cbor:"closed,omitempty" json:"closed,omitempty"`
}
