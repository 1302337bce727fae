package matrix

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// successorFeatures are successor features (Barreto et al., "Successor Features for Transfer in
// Reinforcement Learning", NIPS 2017) that are linear in the environment's features, learned by
// TD(0) from W = 0: ψ(s) = Wᵀφ(s), and after each transition from s to s'
//
//	W ← W + α φ(s) [φ(s) + γ ψ(s') − ψ(s)]ᵀ,   α = StepSize / max(1, |φ(s)|²).
//
// If an episode terminated in s', nothing follows: ψ(s') is then taken as φ(s'). The division keeps
// the step from overshooting where features are not one-hot; where they are, it divides by 1, and the
// result is the tabular successor representation to the last bit.
type successorFeatures struct {
	stepwise
	env      envs.Env
	gamma    float64
	dims     int
	w        []float64 // dims×dims, row i multiplies feature i
	departed map[int32]bool

	here, next observedFeatures // scratch
}

// observedFeatures are φ of a state, with the features that are not 0, and ψ.
type observedFeatures struct {
	phi    []float64
	active []int
	psi    []float64
}

func newSuccessorFeatures(env envs.Env, spec schema.Spec) StateMatrix {
	dims := len(env.Features())
	r := &successorFeatures{
		env: env, gamma: spec.SuccessorGamma(), dims: dims, w: make([]float64, dims*dims), departed: map[int32]bool{},
	}
	r.resetScratch()
	return r
}

func (s *successorFeatures) resetScratch() {
	for _, f := range []*observedFeatures{&s.here, &s.next} {
		*f = observedFeatures{phi: make([]float64, s.dims), psi: make([]float64, s.dims)}
	}
}

// load sets f to φ and ψ of a state: ψ(s) = Σ φ_i(s) W(i,·), summed in the order of features.
func (s *successorFeatures) load(f *observedFeatures, state int32) {
	s.env.Observe(int(state), f.phi)
	f.active = f.active[:0]
	clear(f.psi)
	for i, x := range f.phi {
		if x == 0 {
			continue
		}
		f.active = append(f.active, i)
		for j, w := range s.w[i*s.dims : (i+1)*s.dims] {
			f.psi[j] += float64(x * w)
		}
	}
}

func (s *successorFeatures) Observe(m envs.Transition, _ bool) {
	s.departed[m.State] = true
	s.load(&s.here, m.State)
	s.load(&s.next, m.Next)
	follows := s.next.psi
	if m.Terminal {
		follows = s.next.phi
	}
	for j, psi := range s.here.psi {
		s.here.psi[j] = float64(s.gamma*follows[j]) + s.here.phi[j] - psi
	}
	step := StepSizeFor(s.here.phi)
	for _, i := range s.here.active {
		rate := float64(step * s.here.phi[i])
		row := s.w[i*s.dims : (i+1)*s.dims]
		for j, difference := range s.here.psi {
			row[j] += float64(rate * difference)
		}
	}
}

// StepSizeFor returns the step size with which successor features are learned in a state of these
// features.
func StepSizeFor(phi []float64) float64 {
	square := 0.0
	for _, x := range phi {
		square += float64(x * x)
	}
	return StepSize / max(1, square)
}

func (s *successorFeatures) Clone() StateMatrix {
	c := *s
	c.w, c.departed = slices.Clone(s.w), maps.Clone(s.departed)
	c.resetScratch()
	return &c
}

// Dataset returns ψ, one row for each distinct observation that a transition began in.
func (s *successorFeatures) Dataset(int) (linalg.Dataset, error) {
	var rows []linalg.CountedRow
	for _, state := range DistinctObservations(s.env, slices.Sorted(maps.Keys(s.departed))) {
		s.load(&s.here, state)
		rows = append(rows, linalg.CountedRow{Row: schema.NewSparseRow(s.here.psi), Count: 1})
	}
	return linalg.NewDataset(s.dims, rows), nil
}

// DistinctObservations returns the first of the states of each distinct observation.
func DistinctObservations(env envs.Env, states []int32) (first []int32) {
	phi, bits, seen := make([]float64, len(env.Features())), []byte(nil), map[string]bool{}
	for _, s := range states {
		env.Observe(int(s), phi)
		bits = bits[:0]
		for _, x := range phi {
			bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(x+0)) // −0 + 0 = 0
		}
		if !seen[string(bits)] {
			seen[string(bits)] = true
			first = append(first, s)
		}
	}
	return first
}
