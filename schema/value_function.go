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
	read := func(r *recordReader) []byte { return r.ReadFloatBytes(r.Shape[0]) }
	return decodeRecord(record, KindValue, 1, read, nil)
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

// checkTheta checks a record as [DecodeTheta] does, and returns it without the weights, and their bytes.
func checkTheta(record []byte) (t Theta, weights []byte, err error) {
	weights, err = decodeRecord(record, KindTheta, 2, func(r *recordReader) []byte {
		actions, width := r.Shape[0], r.Shape[1]
		r.require(actions >= 1 && actions <= MaxActions && width >= 1 && width <= maxDims+1)
		t.Actions, t.Width = int(actions), int(width)
		return r.ReadFloatBytes(actions * width)
	}, nil)
	return t, weights, err
}

// DecodeTheta decodes what [Theta.Encode] returns.
func DecodeTheta(record []byte) (Theta, error) {
	t, weights, err := checkTheta(record)
	if err != nil {
		return Theta{}, err
	}
	t.Weights = wire.DecodeFloats(weights)
	return t, nil
}
