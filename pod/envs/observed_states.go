package envs

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Bounds on the observations of a run: distinct ones, and their bytes.
const (
	maxObservations = 1 << 22
	maxSeenBytes    = 31 << 26 // any record of them can be stored: a value of bbolt has less than 2³¹ bytes
)

// ObservedStates numbers the distinct observations of an environment as states, in the
// order in which they first appeared. Their number grows while an agent acts.
//
// An observation is a byte string, little-endian: the number of a discrete one as u32, the
// packed bits of a binary one, the first bit lowest, or the features of a real one as f64,
// never −0.
type ObservedStates struct {
	kind schema.Observation
	dims int // features
	size int // bytes of an observation

	index        *observationIndex // nil for a read-only prefix
	observations []string          // by state
}

func newObservedStates(kind schema.Observation, dims int) *ObservedStates {
	o := &ObservedStates{kind: kind, dims: dims, index: newObservationIndex(nil)}
	switch kind {
	case schema.Discrete:
		o.size = 4
	case schema.Binary:
		o.size = (dims + 7) / 8
	case schema.Real:
		o.size = 8 * dims
	}
	return o
}

// States returns the number of states observed so far.
func (o *ObservedStates) States() int { return len(o.observations) }

// ObservationSize returns the length of an observation in bytes.
func (o *ObservedStates) ObservationSize() int { return o.size }

// Intern returns the state of an observation and adds it if it is new. After an error
// nothing has changed.
func (o *ObservedStates) Intern(observation []byte) (int, error) {
	s, hash, slot := o.index.find(observation, o.observations)
	if s >= 0 {
		return s, nil
	}
	s = len(o.observations)
	if s == maxObservations || int64(s+1)*int64(o.size) > maxSeenBytes {
		return 0, schema.Hint(fmt.Errorf("more than %d distinct observations of %d features", s, o.dims),
			"observe less: fewer features, or features in bins")
	}
	o.index.put(s, hash, slot)
	o.observations = append(o.observations, string(observation))
	return s, nil
}

// Truncate removes all states but the first n.
func (o *ObservedStates) Truncate(n int) {
	if n == len(o.observations) {
		return
	}
	o.observations = o.observations[:n]
	o.index = newObservationIndex(o.observations)
}

// AlignStates returns the number of each state of each of several environments in one numbering of all their states,
// those of the first environment first, and the number of all of them together.
func AlignStates(all ...*ObservedStates) (aligned [][]int32, states int) {
	index := map[string]int32{}
	for _, o := range all {
		numbers := make([]int32, 0, len(o.observations))
		for _, b := range o.observations {
			s, known := index[b]
			if !known {
				s = int32(len(index))
				index[b] = s
			}
			numbers = append(numbers, s)
		}
		aligned = append(aligned, numbers)
	}
	return aligned, len(index)
}

// Observe sets dst to φ(s).
func (o *ObservedStates) Observe(s int, dst []float64) {
	switch b := o.observations[s]; o.kind {
	case schema.Discrete:
		clear(dst)
		dst[o.discreteNumber(s)] = 1
	case schema.Binary:
		for i := range dst {
			dst[i] = float64(b[i/8] >> (i % 8) & 1)
		}
	case schema.Real:
		for i := range dst {
			dst[i] = o.realAt(s, i)
		}
	}
}

// FeatureTerms sets terms to the features of a state that are not 0, numbered from first on.
func (o *ObservedStates) FeatureTerms(s int, first int32, terms *StateTerms) {
	terms.Weights, terms.Values = terms.Weights[:0], terms.Values[:0]
	b := o.observations[s]
	switch o.kind {
	case schema.Discrete:
		terms.Weights, terms.Values = append(terms.Weights, first+int32(o.discreteNumber(s))), nil
	case schema.Binary:
		terms.Values = nil
		for i := range len(b) {
			for left := b[i]; left != 0; left &= left - 1 {
				terms.Weights = append(terms.Weights, first+int32(8*i+bits.TrailingZeros8(left)))
			}
		}
	case schema.Real:
		for i := range o.dims {
			if x := o.realAt(s, i); x != 0 {
				terms.Weights, terms.Values = append(terms.Weights, first+int32(i)), append(terms.Values, x)
			}
		}
	}
}

// realAt returns feature i of a real observation.
func (o *ObservedStates) realAt(s, i int) float64 {
	b := o.observations[s][8*i : 8*i+8] // eight terms are one read
	return math.Float64frombits(uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56)
}

func (o *ObservedStates) discreteNumber(s int) uint32 {
	b := o.observations[s]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// AppendObservation appends a state's observation to b.
func (o *ObservedStates) AppendObservation(b []byte, s int) []byte {
	return append(b, o.observations[s]...)
}

// StateText returns the observation that state s stands for as text: a number, bits, or numbers with slashes
// between them.
func (o *ObservedStates) StateText(s int) string {
	if o.kind == schema.Discrete {
		return strconv.FormatUint(uint64(o.discreteNumber(s)), 10)
	}
	row := make([]float64, o.dims)
	o.Observe(s, row)
	between := ""
	if o.kind == schema.Real {
		between = "/"
	}
	return strings.Join(textfmt.Map(row, func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }), between)
}

// Width returns the number of features of an observation, 1 if it is a number.
func (o *ObservedStates) Width() int {
	if o.kind == schema.Discrete {
		return 1
	}
	return o.dims
}
