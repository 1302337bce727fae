package schema

import (
	"fmt"

	"github.com/podtrack/podtrack/schema/wire"
)

// A Value is an option's value table v, one entry for each state.
type Value []float64

// Kind implements [ValueFunction].
func (v Value) Kind() Kind { return KindValue }

// Encode returns the record's bytes. Shape: [states]. Payload: f64.
func (v Value) Encode() ([]byte, error) { return v.AppendTo(nil) }

// AppendTo appends what [Value.Encode] returns to buf, for callers that encode one large table after another.
func (v Value) AppendTo(buf []byte) ([]byte, error) {
	p := newVersionedWriter(buf, KindValue, recordVersion, 8*len(v), uint64(len(v)))
	p.WriteFloats(v)
	return p.Finish(KindValue)
}

// checkValue checks a record as [DecodeValue] does, and returns the bytes of the table.
func checkValue(record []byte) ([]byte, error) {
	shape, u, err := openRecord(record, KindValue, 1)
	if err != nil {
		return nil, err
	}
	v := u.ReadFloatBytes(shape[0])
	return v, u.Wrap(u.End())
}

// DecodeValue decodes what [Value.Encode] returns.
func DecodeValue(record []byte) (Value, error) {
	v, err := checkValue(record)
	if err != nil {
		return nil, err
	}
	return wire.DecodeFloats(v), nil
}

// A ValueFunction is what an option's policy was derived from: a [Value] or a [Theta].
type ValueFunction interface {
	Kind() Kind
	// AppendTo appends the record's bytes to buf.
	AppendTo(buf []byte) ([]byte, error)
}

// DecodeValueFunction decodes a record of the given kind, [KindValue] or [KindTheta].
func DecodeValueFunction(kind Kind, record []byte) (ValueFunction, error) {
	if kind == KindTheta {
		return DecodeTheta(record)
	}
	return DecodeValue(record)
}

// Theta holds the weights of a linear q(s,a) = θ_aᵀ(1, φ(s)).
type Theta struct {
	Actions int
	Width   int       // weights an action: the constant's, then those of the features
	Weights []float64 `cbor:"theta"` // row-major
}

// NewTheta returns weights of 0.
func NewTheta(actions, features int) Theta {
	return Theta{Actions: actions, Width: features + 1, Weights: make([]float64, actions*(features+1))}
}

// ActionWeights returns the weights of action a, the constant's first.
func (t Theta) ActionWeights(a int) []float64 { return t.Weights[a*t.Width : (a+1)*t.Width] }

// Kind implements [ValueFunction].
func (t Theta) Kind() Kind { return KindTheta }

// Encode returns the record's bytes. Shape: [actions, width]. Payload: f64.
func (t Theta) Encode() ([]byte, error) { return t.AppendTo(nil) }

// AppendTo appends what [Theta.Encode] returns to buf.
func (t Theta) AppendTo(buf []byte) ([]byte, error) {
	p := newVersionedWriter(buf, KindTheta, recordVersion, 8*len(t.Weights), uint64(t.Actions), uint64(t.Width))
	if t.Actions*t.Width != len(t.Weights) {
		p.Fail(fmt.Errorf("%w: %d weights of %d actions and %d features", wire.ErrMalformed, len(t.Weights), t.Actions,
			t.Width-1))
	}
	p.WriteFloats(t.Weights)
	return p.Finish(KindTheta)
}

// checkTheta checks a record as [DecodeTheta] does, and returns the bytes of the weights, the number of
// actions, and the number of weights for each.
func checkTheta(record []byte) (weights []byte, shape [2]int, err error) {
	dims, u, err := openRecord(record, KindTheta, 2)
	if err != nil {
		return nil, shape, err
	}
	actions, width := dims[0], dims[1]
	if actions < 1 || actions > MaxActions || width < 1 || width > maxDims+1 {
		return nil, shape, u.refuseShape(dims)
	}
	weights = u.ReadFloatBytes(actions * width)
	return weights, [2]int{int(actions), int(width)}, u.Wrap(u.End())
}

// DecodeTheta decodes what [Theta.Encode] returns.
func DecodeTheta(record []byte) (Theta, error) {
	weights, shape, err := checkTheta(record)
	if err != nil {
		return Theta{}, err
	}
	return Theta{Actions: shape[0], Width: shape[1], Weights: wire.DecodeFloats(weights)}, nil
}
