package schema

import "fmt"

// Terminate is the policy's entry for ⊥, in states where the option terminates.
const Terminate = -1

// Termination is what is known about whether an option terminates.
type Termination string

// The degrees of knowledge. Proved: the policy's graph was followed from every
// state of I and ends in T.
const (
	Proved   Termination = "proved"
	Observed Termination = "observed"
	Unknown  Termination = "unknown"
)

// A Purpose is a signed eigenpurpose: direction J (1 is the largest σ), Sign ±1, and its
// vector over features.
type Purpose struct {
	J      int
	Sign   int
	Sigma  float64
	Vector []float64
}

// A Certificate is what was verified about an option when it was made.
type Certificate struct {
	Termination Termination `cbor:"termination" json:"termination"`
	Acyclic     bool        `cbor:"acyclic" json:"acyclic"`       // no cycle in the policy's graph
	Longest     int64       `cbor:"longest" json:"longest"`       // steps of the longest path from I to T
	Reach       *float64    `cbor:"reach" json:"reach"`           // mean steps over I, nil for an empty I
	Initiation  int64       `cbor:"initiation" json:"initiation"` // states in I
	PeakQ       float64     `cbor:"peak_q" json:"peak_q"`         // max_a q at the state of largest w
	Tolerance   float64     `cbor:"tolerance" json:"tolerance"`   // the one in effect
	Null        bool        `cbor:"null" json:"null"`             // I is empty: no q exceeds the tolerance

	// MaxSteps is the number of steps after which a call is truncated, if termination
	// is not proved; 0 for never.
	MaxSteps int64 `cbor:"max_steps,omitempty" json:"max_steps,omitempty"`
}

// An Option is ⟨I, π, T⟩ with the purpose it was learned for. I is where Policy is not
// Terminate, T the rest.
type Option struct {
	Purpose     Purpose
	Arity       int    // number of primitive actions
	Policy      []int8 // one a state: an action, or Terminate
	Certificate Certificate

	// Theta determines the policy in states that become known later, nil if nothing
	// does. It is a record of its own.
	Theta *Theta
}

// CanStart reports whether state s is in I. A state that was unknown when the option was
// made is not.
func (o *Option) CanStart(s int) bool { return s < len(o.Policy) && o.Policy[s] != Terminate }

// optionMeta is the CBOR item at the front of an option record's payload.
type optionMeta struct {
	J           int         `cbor:"j"`
	Sign        int         `cbor:"sign"`
	Sigma       float64     `cbor:"sigma"`
	Certificate Certificate `cbor:"certificate"`
}

// Encode returns the record's bytes. Shape: [dims, states, arity]. Payload: CBOR {j, sign,
// sigma, certificate} ‖ vector f64 ‖ policy packed (0 is ⊥, a+1 is action a) ‖ I as bits.
func (o Option) Encode() ([]byte, error) {
	width := packedWidth(uint64(o.Arity) + 1)
	p := newRecordWriter(KindOption, 256+8*len(o.Purpose.Vector)+len(o.Policy)*(width+1)/8,
		uint64(len(o.Purpose.Vector)), uint64(len(o.Policy)), uint64(o.Arity))
	p.writeCBOR(optionMeta{J: o.Purpose.J, Sign: o.Purpose.Sign, Sigma: o.Purpose.Sigma, Certificate: o.Certificate})
	p.floats(o.Purpose.Vector)
	shifted := make([]uint8, len(o.Policy))
	initiation := make([]uint8, len(o.Policy))
	for s, a := range o.Policy {
		shifted[s] = uint8(a + 1)
		if a != Terminate {
			initiation[s] = 1
		}
	}
	p.packed(shifted, width, uint64(o.Arity)+1)
	p.packed(initiation, 1, 2)
	return p.finish(KindOption)
}

// optionParts are the parts of an option record that was checked.
type optionParts struct {
	optionMeta
	vector []byte
	policy packedArray
	arity  int
}

// checkOption does what [DecodeOption] does, but for the arrays.
func checkOption(record []byte) (optionParts, error) {
	shape, u, err := openRecord(record, KindOption, 3)
	if err != nil {
		return optionParts{}, err
	}
	dims, states, arity := shape[0], shape[1], shape[2]
	if dims > maxDims || arity < 1 || arity > MaxActions {
		return optionParts{}, wrapDecodeError(KindOption, fmt.Errorf("%w: shape %v", ErrMalformed, shape))
	}
	p := optionParts{arity: int(arity)}
	p.decode(u)
	p.vector = u.floatBytes(dims)
	p.policy = u.packedArray(states, packedWidth(arity+1), arity+1)
	initiation := u.packedArray(states, 1, 2)
	if err := u.end(); err != nil {
		return p, wrapDecodeError(KindOption, err)
	}
	if s, alike := p.policy.compareZeros(&initiation); !alike {
		return p, wrapDecodeError(KindOption, fmt.Errorf("%w: policy and I disagree in state %d", ErrMalformed, s))
	}
	return p, wrapDecodeError(KindOption, p.check())
}

// DecodeOption decodes what [Option.Encode] returns.
func DecodeOption(record []byte) (Option, error) {
	p, err := checkOption(record)
	if err != nil {
		return Option{}, err
	}
	o := Option{
		Purpose:     Purpose{J: p.J, Sign: p.Sign, Sigma: p.Sigma, Vector: decodeFloats(p.vector)},
		Arity:       p.arity,
		Policy:      make([]int8, p.policy.n),
		Certificate: p.Certificate,
	}
	for s, a := range p.policy.values() {
		o.Policy[s] = int8(a) - 1
	}
	return o, nil
}

func (m optionMeta) check() error {
	if m.J < 1 || m.Sign != 1 && m.Sign != -1 {
		return fmt.Errorf("%w: purpose %d with sign %d", ErrMalformed, m.J, m.Sign)
	}
	switch t := m.Certificate.Termination; t {
	case Proved, Observed, Unknown:
		return nil
	default:
		return fmt.Errorf("%w: termination %q", ErrMalformed, t)
	}
}

// A Value is an option's value table v, one entry for each state.
type Value []float64

// Kind implements [ValueFunction].
func (v Value) Kind() Kind { return KindValue }

// Encode returns the record's bytes. Shape: [states]. Payload: f64.
func (v Value) Encode() ([]byte, error) { return v.AppendTo(nil) }

// AppendTo appends what [Value.Encode] returns to buf, for callers that encode one large
// table after the other.
func (v Value) AppendTo(buf []byte) ([]byte, error) {
	p := newRecordWriterAfter(buf, KindValue, 8*len(v), uint64(len(v)))
	p.floats(v)
	return p.finish(KindValue)
}

// checkValue does what [DecodeValue] does, but returns the bytes of the table.
func checkValue(record []byte) ([]byte, error) {
	shape, u, err := openRecord(record, KindValue, 1)
	if err != nil {
		return nil, err
	}
	v := u.floatBytes(shape[0])
	return v, wrapDecodeError(KindValue, u.end())
}

// DecodeValue decodes what [Value.Encode] returns.
func DecodeValue(record []byte) (Value, error) {
	v, err := checkValue(record)
	if err != nil {
		return nil, err
	}
	return decodeFloats(v), nil
}
