package pod

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema"
)

// Bounds on what a run may see, in distinct observations and in bytes of them.
const (
	MaxSeen      = 1 << 22
	maxSeenBytes = 1 << 30
)

// External is an environment in another process, of which only what was seen is known:
// its states are the distinct observations, in the order in which they were first
// seen. Their number grows while an agent acts. It is for one goroutine.
//
// An observation is bytes here: a discrete one its number as u32, a binary one its
// bits packed, the first one lowest, and a real one its features as f64 that are never
// −0; little-endian.
type External struct {
	declared schema.External
	features []string
	width    int // bytes of an observation

	index map[string]int32 // nil where nothing can be seen any more
	order []string         // of index
}

func newExternal(x schema.External) *External {
	e := &External{declared: x, features: x.Features, index: map[string]int32{}}
	switch x.Observes {
	case schema.Discrete:
		e.features, e.width = numbered("state", int(x.Size)), 4
	case schema.Binary:
		e.width = (int(x.Size) + 7) / 8
	case schema.Real:
		e.width = 8 * int(x.Size)
	}
	return e
}

// Declared is what the environment says of itself.
func (e *External) Declared() schema.External { return e.declared }

// Width is the length of an observation, in bytes.
func (e *External) Width() int { return e.width }

// PrintSize is the length of a fingerprint, in bytes.
const PrintSize = 8

// AppendPrint appends a fingerprint of a state's observation: the beginning of its
// SHA-256.
func (e *External) AppendPrint(b []byte, s int) []byte {
	sum := sha256.Sum256([]byte(e.order[s]))
	return append(b, sum[:PrintSize]...)
}

// See is the state of an observation, which becomes known by it. After an error
// nothing has changed.
func (e *External) See(observation []byte) (int, error) {
	if s, ok := e.index[string(observation)]; ok {
		return int(s), nil
	}
	s := len(e.order)
	if s == MaxSeen || (s+1)*e.width > maxSeenBytes {
		return 0, schema.Hint(fmt.Errorf("more than %d distinct observations of %d features", s, len(e.features)),
			"observe less: fewer features, or features in bins")
	}
	own := string(observation)
	e.index[own], e.order = int32(s), append(e.order, own)
	return s, nil
}

// Forget is as if only the first n states had been seen.
func (e *External) Forget(n int) {
	for _, o := range e.order[n:] {
		delete(e.index, o)
	}
	e.order = e.order[:n]
}

// Until is the environment when only the first n states had been seen, to read. It
// shares memory with e.
func (e *External) Until(n int) *External {
	before := *e
	before.index, before.order = nil, e.order[:n:n]
	return &before
}

// Places are the states' numbers in another run's numbering, behind which stand those
// that it has not seen, and how many there are in both.
func (e *External) Places(other *External) (places []int32, states int) {
	states = other.States()
	for _, o := range e.order {
		s, seen := other.index[o]
		if !seen {
			s = int32(states)
			states++
		}
		places = append(places, s)
	}
	return places, states
}

// Since are the observations from state first on, which is at most [External.States].
func (e *External) Since(first int) schema.Observations {
	o := schema.Observations{First: uint64(first), Kind: e.declared.Observes, Dims: int(e.declared.Size)}
	row := make([]float64, len(e.features))
	for s := first; s < len(e.order); s++ {
		switch o.Kind {
		case schema.Discrete:
			o.Numbers = append(o.Numbers, e.number(s))
		case schema.Binary:
			for i := range o.Dims {
				o.Bits = append(o.Bits, e.order[s][i/8]>>(i%8)&1)
			}
		case schema.Real:
			e.Observe(s, row)
			o.Values = append(o.Values, row...)
		}
	}
	return o
}

// Load makes recorded observations known, which must be the next ones.
func (e *External) Load(o *schema.Observations) error {
	if o.First != uint64(len(e.order)) || o.Kind != e.declared.Observes || int64(o.Dims) != e.declared.Size {
		return fmt.Errorf("%w: %s observations of %d features from %d on, where %s ones of %d follow %d",
			schema.ErrMalformed, o.Kind, o.Dims, o.First, e.declared.Observes, e.declared.Size, len(e.order))
	}
	buf := make([]byte, 0, e.width)
	for i := range o.Len() {
		s, err := e.See(appendObservation(buf, o, i))
		if err == nil && s != int(o.First)+i {
			err = fmt.Errorf("observation %d was seen before, as %d", int(o.First)+i, s)
		}
		if err != nil {
			e.Forget(int(o.First))
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
		return AppendBits(b, o.Bits[i*o.Dims:(i+1)*o.Dims])
	}
	return AppendValues(b, o.Values[i*o.Dims:(i+1)*o.Dims])
}

// AppendBits appends a binary observation, 0 or 1 a feature.
func AppendBits(b []byte, bits []uint8) []byte {
	at := len(b)
	for i, x := range bits {
		if i%8 == 0 {
			b = append(b, 0)
		}
		b[at+i/8] |= x << (i % 8)
	}
	return b
}

// AppendValues appends a real observation of finite values.
func AppendValues(b []byte, values []float64) []byte {
	for _, x := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x+0)) // −0 + 0 = 0
	}
	return b
}

func (e *External) number(s int) uint32 {
	o := e.order[s]
	return uint32(o[0]) | uint32(o[1])<<8 | uint32(o[2])<<16 | uint32(o[3])<<24
}

// States implements [Env]: those seen so far.
func (e *External) States() int { return len(e.order) }

// Actions implements [Env].
func (e *External) Actions() []string { return e.declared.Actions }

// Features implements [Env].
func (e *External) Features() []string { return e.features }

// Start implements [Env]. Each iteration begins where the environment says.
func (e *External) Start() int { return 0 }

// Step implements [Env]. What an action does only the environment knows.
func (e *External) Step(int, int) int { panic("pod: a step of an environment in another process") }

// Row implements [Env]: nothing says what a transition will be.
func (e *External) Row(int, int) int { panic("pod: a transition of an environment in another process") }

// Rows implements [Env].
func (e *External) Rows() int { return 0 }

// Difference implements [Env].
func (e *External) Difference(int, []float64) {
	panic("pod: a row of an environment in another process")
}

// Observe implements [Env].
func (e *External) Observe(s int, dst []float64) {
	switch o := e.order[s]; e.declared.Observes {
	case schema.Discrete:
		clear(dst)
		dst[e.number(s)] = 1
	case schema.Binary:
		for i := range dst {
			dst[i] = float64(o[i/8] >> (i % 8) & 1)
		}
	case schema.Real:
		for i := range dst {
			b := uint64(0)
			for j := range 8 {
				b |= uint64(o[8*i+j]) << (8 * j)
			}
			dst[i] = math.Float64frombits(b)
		}
	}
}

// Potential implements [Env], of the states seen so far that w has room for.
func (e *External) Potential(vector, w []float64) {
	row := make([]float64, len(e.features))
	for s := range w {
		w[s] = e.worth(vector, s, row)
	}
}

// worth is w(s); row is memory for φ(s).
func (e *External) worth(vector []float64, s int, row []float64) float64 {
	if e.declared.Observes == schema.Discrete {
		return vector[e.number(s)]
	}
	e.Observe(s, row)
	sum := 0.0
	for i, x := range row {
		sum += float64(vector[i] * x)
	}
	return sum
}

// Extend gives options a policy in states that were seen after they were learned,
// where weights of features say what that is.
func Extend(env Env, options []*schema.Option) {
	e, grows := env.(*External)
	if !grows {
		return
	}
	row, q := make([]float64, len(e.features)), make([]float64, len(e.declared.Actions))
	for _, o := range options {
		for s := len(o.Policy); o.Theta != nil && s < e.States(); s++ {
			for a := range q {
				weights := o.Theta.Of(a)
				q[a] = e.worth(weights[1:], s, row) + weights[0]
			}
			o.Policy = append(o.Policy, Greedy(q, o.Certificate.Tolerance))
		}
	}
}

// Model implements [Env]: nothing is known of what actions do. What was observed of
// them makes a model, see [Observed].
func (e *External) Model() *Model { return &Model{States: len(e.order)} }
