package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/schema/wire"
)

// Terminate is the policy's entry for ⊥, in states where the option terminates.
const Terminate = -1

// A Purpose is a signed eigenpurpose: direction J (1 is the largest σ), Sign ±1, and its vector over features.
type Purpose struct {
	J      int
	Sign   int
	Sigma  float64
	Vector []float64
	Start  *int // the only state in which the option may start; nil for every state outside T
}

// An Option is ⟨I, π, T⟩ with the purpose it was learned for. T is where Policy is Terminate. I has
// all other states or, if the purpose has a start, that state alone, unless it is in T.
type Option struct {
	Purpose     Purpose
	Arity       int    // number of primitive actions
	Policy      []int8 // one a state: an action, or Terminate
	Certificate Certificate

	// Theta determines the policy in states that become known later, nil if nothing does. It is stored as a
	// separate record.
	Theta *Theta
}

// CanStart reports whether state s is in I. A state that was not known when the option was made is not in I.
func (o *Option) CanStart(s int) bool {
	return !o.EndsIn(s) && (o.Purpose.Start == nil || s == *o.Purpose.Start)
}

// HasStart reports whether the option starts in one state alone, and not in each in which it acts.
func (o *Option) HasStart() bool { return o.Purpose.Start != nil }

// EndsIn reports whether state s is in T, as is a state that was not known when the option was made.
func (o *Option) EndsIn(s int) bool { return s >= len(o.Policy) || o.Policy[s] == Terminate }

// Encode returns the record's bytes. Shape: [dims, states, arity]. Payload: CBOR {j, sign,
// sigma, certificate, start} ‖ vector f64 ‖ policy packed (0 is ⊥, a+1 is action a) ‖ I as bits.
func (o Option) Encode() ([]byte, error) {
	if n := len(o.Purpose.Vector); n > maxDims {
		return nil, fmt.Errorf("%w: an option of %d features, more than %d", wire.ErrMalformed, n, maxDims)
	}
	p := newRecordWriter(KindOption, 256+8*len(o.Purpose.Vector)+len(o.Policy)*(wire.PackedWidth(uint64(o.Arity)+1)+1)/8,
		uint64(len(o.Purpose.Vector)), uint64(len(o.Policy)), uint64(o.Arity))
	p.WriteCBOR(optionMeta{J: o.Purpose.J, Sign: o.Purpose.Sign, Sigma: o.Purpose.Sigma, Certificate: o.Certificate,
		Start: o.Purpose.Start})
	p.WriteFloats(o.Purpose.Vector)
	actions, starts := make([]uint8, len(o.Policy)), make([]uint8, len(o.Policy))
	for s, a := range o.Policy {
		actions[s] = uint8(a + 1)
		if o.CanStart(s) {
			starts[s] = 1
		}
	}
	limit := uint64(o.Arity) + 1
	p.WritePacked(actions, wire.PackedWidth(limit), limit)
	p.WritePacked(starts, 1, 2)
	return p.Finish(KindOption)
}

// optionMeta is the CBOR item at the front of an option record's payload.
type optionMeta struct {
	J           int         `cbor:"j"`
	Sign        int         `cbor:"sign"`
	Sigma       float64     `cbor:"sigma"`
	Certificate Certificate `cbor:"certificate"`
	Start       *int        `cbor:"start,omitempty"`
}

func (o optionMeta) check() error {
	if o.J < 1 || o.Sign != 1 && o.Sign != -1 {
		return fmt.Errorf("%w: purpose %d with sign %d", wire.ErrMalformed, o.J, o.Sign)
	}
	if t := o.Certificate.Termination; !slices.Contains(terminations, t) {
		return fmt.Errorf("%w: unknown termination %q", wire.ErrMalformed, t)
	}
	return nil
}

// optionParts are the parts of a checked option record.
type optionParts struct {
	optionMeta
	vector     []byte
	policy     wire.PackedArray
	initiation wire.PackedArray
	arity      int
}

// checkOption checks a record as [DecodeOption] does, without unpacking its arrays.
func checkOption(record []byte) (optionParts, error) {
	return decodeRecord(record, KindOption, 3, func(u *recordReader) (p optionParts) {
		dims, states, arity := u.Shape[0], u.Shape[1], u.Shape[2]
		u.require(dims <= maxDims && arity >= 1 && arity <= MaxActions)
		u.ReadCBOR(&p.optionMeta)
		p.arity, p.vector = int(arity), u.ReadFloatBytes(dims)
		p.policy = u.ReadPackedArray(states, wire.PackedWidth(arity+1), arity+1)
		p.initiation = u.ReadPackedArray(states, 1, 2)
		return p
	}, func(p optionParts) error { return cmp.Or(p.checkInitiation(), p.check()) })
}

// checkInitiation checks that policy and start determine I.
func (p *optionParts) checkInitiation() error {
	if p.Start == nil {
		if s, alike := p.policy.CompareZeros(&p.initiation); !alike {
			return fmt.Errorf("%w: policy and I disagree in state %d", wire.ErrMalformed, s)
		}
		return nil
	}
	if *p.Start < 0 || *p.Start >= p.policy.Count() {
		return fmt.Errorf("%w: an option of %d states starts in state %d", wire.ErrMalformed, p.policy.Count(), *p.Start)
	}
	policy := p.policy.Values()
	for s, in := range p.initiation.Values() {
		if starts := s == *p.Start && policy[s] > 0; starts != (in == 1) {
			return fmt.Errorf("%w: start %d and I disagree in state %d", wire.ErrMalformed, *p.Start, s)
		}
	}
	return nil
}

// DecodeOption decodes what [Option.Encode] returns.
func DecodeOption(record []byte) (Option, error) {
	p, err := checkOption(record)
	if err != nil {
		return Option{}, err
	}
	o := Option{
		Purpose:     Purpose{J: p.J, Sign: p.Sign, Sigma: p.Sigma, Vector: wire.DecodeFloats(p.vector), Start: p.Start},
		Arity:       p.arity,
		Policy:      make([]int8, p.policy.Count()),
		Certificate: p.Certificate,
	}
	for s, a := range p.policy.Values() {
		o.Policy[s] = int8(a) - 1
	}
	return o, nil
}

// Initiation is the initiation set I of an option: state s is in it if bit s % 64 of word s / 64 is
// set. Bits beyond States are 0.
type Initiation struct {
	States int
	Words  []uint64
	Acts   []uint64 // the complement of T, in the same form; nil if that is I
}

// DecodeInitiation decodes the initiation set of what [Option.Encode] returns. It checks the record
// as [DecodeOption] does, and unpacks nothing else of it.
func DecodeInitiation(record []byte) (Initiation, error) {
	p, err := checkOption(record)
	if err != nil {
		return Initiation{}, err
	}
	i := Initiation{States: p.policy.Count(), Words: p.initiation.Words()}
	if p.Start != nil {
		i.Acts = make([]uint64, len(i.Words))
		for s, a := range p.policy.Values() {
			if a > 0 {
				i.Acts[s/64] |= 1 << (s % 64)
			}
		}
	}
	return i, nil
}

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

	// MaxSteps is the number of steps after which a call is truncated, if termination is not proved; 0 for never.
	MaxSteps int64 `cbor:"max_steps,omitempty" json:"max_steps,omitempty"`

	// Closed is true if the option terminates in every state that its learner did not observe: the weights do not
	// extend its policy to states that become known later.
	Closed bool `cbor:"closed,omitempty" json:"closed,omitempty"`
}
