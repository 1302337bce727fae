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

// rowsEnv is the environment of a D that was recorded elsewhere: it has features, but neither states nor actions. No
// agent can act in it, so a run in it has only one iteration, with the imported D, and purposes without options.
type rowsEnv struct{ dims int }

// MaxRowFeatures is the largest number of features. V has one entry for each pair of them,
// and the time that factoring takes grows with the third power.
const MaxRowFeatures = 4096

// RowsName is the name of the environment of imported rows.
const RowsName = "rows"

// FeaturesParameter is the name of the only parameter of the environment [RowsName].
const FeaturesParameter = "features"

func init() {
	registerBuiltin(RegisteredEnv{
		Name:    RowsName,
		Version: 1,
		Usage:   "no states and no actions: the rows of a D, imported from a file",
		States:  "none",
		Parameters: []Parameter{
			{Name: FeaturesParameter, Default: 1, Min: 1, Max: MaxRowFeatures,
				Usage: "the number of features, the columns of D"},
		},
		Build: func(e schema.Env) (Env, error) {
			return &rowsEnv{dims: int(e.Params[FeaturesParameter])}, nil
		},
	})
}

// States implements [Env].
func (r *rowsEnv) States() int { return 0 }

// Actions implements [Env].
func (r *rowsEnv) Actions() []string { return nil }

// Features implements [Env].
func (r *rowsEnv) Features() []string {
	return numbered("f", r.dims)
}

// Observe implements [Env]. There is no state to observe.
func (r *rowsEnv) Observe(int, []float64) {}

// Potential implements [Env]: w has no entries.
func (r *rowsEnv) Potential([]float64, []float64) {}
