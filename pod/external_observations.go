package pod

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema"
)

// FingerprintSize is the length of a fingerprint in bytes.
const FingerprintSize = 8

// AppendFingerprint appends a fingerprint of a state's observation to b: the first bytes
// of its SHA-256.
func (e *External) AppendFingerprint(b []byte, s int) []byte {
	sum := sha256.Sum256([]byte(e.observations[s]))
	return append(b, sum[:FingerprintSize]...)
}

// ObservationsFrom returns the observations from state first on, which is at most
// [External.States].
func (e *External) ObservationsFrom(first int) schema.Observations {
	o := schema.Observations{First: uint64(first), Kind: e.declaration.Observes, Dims: int(e.declaration.Size)}
	row := make([]float64, len(e.features))
	for s := first; s < len(e.observations); s++ {
		switch o.Kind {
		case schema.Discrete:
			o.Numbers = append(o.Numbers, e.discreteNumber(s))
		case schema.Binary:
			for i := range o.Dims {
				o.Bits = append(o.Bits, e.observations[s][i/8]>>(i%8)&1)
			}
		case schema.Real:
			e.Observe(s, row)
			o.Values = append(o.Values, row...)
		}
	}
	return o
}

// LoadObservations adds recorded observations, which must be the next ones. After an error
// e is as before.
func (e *External) LoadObservations(o *schema.Observations) error {
	if o.First != uint64(len(e.observations)) || o.Kind != e.declaration.Observes ||
		int64(o.Dims) != e.declaration.Size {
		return fmt.Errorf("%w: %s observations of %d features from %d on, where %s ones of %d follow %d",
			schema.ErrMalformed, o.Kind, o.Dims, o.First, e.declaration.Observes, e.declaration.Size,
			len(e.observations))
	}
	buf := make([]byte, 0, e.observationSize)
	for i := range o.Len() {
		s, err := e.Intern(appendObservation(buf, o, i))
		if err == nil && s != int(o.First)+i {
			err = fmt.Errorf("observation %d was seen before, as %d", int(o.First)+i, s)
		}
		if err != nil {
			e.Truncate(int(o.First))
			return fmt.Errorf("%w: %w", schema.ErrMalformed, err)
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

// AppendRealObservation appends a real observation of finite values to b.
func AppendRealObservation(b []byte, values []float64) []byte {
	for _, x := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x+0)) // −0 + 0 = 0
	}
	return b
}

func (e *External) discreteNumber(s int) uint32 {
	o := e.observations[s]
	return uint32(o[0]) | uint32(o[1])<<8 | uint32(o[2])<<16 | uint32(o[3])<<24
}
