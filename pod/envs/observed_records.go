package envs

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// FingerprintSize is the length of a fingerprint in bytes.
const FingerprintSize = 8

// AppendFingerprint appends a fingerprint of a state's observation to b: the first bytes
// of its SHA-256.
func (o *ObservedStates) AppendFingerprint(b []byte, s int) []byte {
	sum := sha256.Sum256([]byte(o.observations[s]))
	return append(b, sum[:FingerprintSize]...)
}

// ObservationsFrom returns the observations from state first on. first must be at most [ObservedStates.States].
func (o *ObservedStates) ObservationsFrom(first int) schema.Observations {
	out := schema.Observations{First: uint64(first), Kind: o.kind, Dims: o.dims}
	n, row := int64(len(o.observations)-first)*int64(o.dims), make([]float64, o.dims)
	switch o.kind { // the largest of what a run has in memory
	case schema.Binary:
		out.Bits = make([]uint8, 0, n)
	case schema.Real:
		out.Values = make([]float64, 0, n)
	}
	for s := first; s < len(o.observations); s++ {
		switch o.kind {
		case schema.Discrete:
			out.Numbers = append(out.Numbers, o.discreteNumber(s))
		case schema.Binary:
			for i := range o.dims {
				out.Bits = append(out.Bits, o.observations[s][i/8]>>(i%8)&1)
			}
		case schema.Real:
			o.Observe(s, row)
			out.Values = append(out.Values, row...)
		}
	}
	return out
}

// LoadObservations adds recorded observations, which must be the next ones. After an error
// o is as before.
func (o *ObservedStates) LoadObservations(recorded *schema.Observations) error {
	if recorded.First != uint64(len(o.observations)) || recorded.Kind != o.kind || recorded.Dims != o.dims {
		return fmt.Errorf("%w: got %s observations of %d features from number %d on, want %s ones of %d from %d on",
			wire.ErrMalformed, recorded.Kind, recorded.Dims, recorded.First, o.kind, o.dims, len(o.observations))
	}
	buf := make([]byte, 0, o.size)
	for i := range recorded.Len() {
		s, err := o.Intern(appendObservation(buf, recorded, i))
		if err == nil && s != int(recorded.First)+i {
			err = fmt.Errorf("observation %d was seen before, as %d", int(recorded.First)+i, s)
		}
		if err != nil {
			o.Truncate(int(recorded.First))
			return fmt.Errorf("%w: %w", wire.ErrMalformed, err)
		}
	}
	return nil
}

func appendObservation(b []byte, o *schema.Observations, i int) []byte {
	switch o.Kind {
	case schema.Discrete:
		return binary.LittleEndian.AppendUint32(b, o.Numbers[i])
	case schema.Binary:
		return AppendBinaryObservation(b, o.Bits[i*o.Dims:(i+1)*o.Dims])
	}
	return AppendRealObservation(b, o.Values[i*o.Dims:(i+1)*o.Dims])
}

// AppendBinaryObservation appends a binary observation to b, given 0 or 1 for each
// feature.
func AppendBinaryObservation(b []byte, bits []uint8) []byte {
	at := len(b)
	for i, x := range bits {
		if i%8 == 0 {
			b = append(b, 0)
		}
		b[at+i/8] |= x << (i % 8)
	}
	return b
}

// maxFeature bounds the magnitude of features. D's rows are their differences, and σ, at most the root of the sum of
// all squares in D, is finite for up to 2¹²⁰ numbers.
const maxFeature = 0x1p960

// CheckFeature returns an error if a feature cannot have the value x.
func CheckFeature(name string, x float64) error {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return fmt.Errorf("feature %q is %v: not finite", name, x)
	case math.Abs(x) > maxFeature:
		return schema.Hint(fmt.Errorf("feature %q is %v: beyond ±%.3g σ could overflow", name, x, maxFeature),
			"scale the features")
	}
	return nil
}

// AppendRealObservation appends a real observation of finite values to b.
func AppendRealObservation(b []byte, values []float64) []byte {
	for _, x := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x+0)) // −0 + 0 = 0
	}
	return b
}
