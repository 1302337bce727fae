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

func init() {
	registerMethod(schema.SuccessorFeatures, methodEntry{
		newMatrix: func(env envs.Env, spec schema.Spec) StateMatrix { return newSuccessorFeatures(env, spec) },
	})
}

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

func newSuccessorFeatures(env envs.Env, spec schema.Spec) *successorFeatures {
	dims := len(env.Features())
	r := &successorFeatures{
		env: env, gamma: spec.SuccessorGamma(), dims: dims, w: make([]float64, dims*dims), departed: map[int32]bool{},
	}
	r.resetScratch()
	return r
}

func (r *successorFeatures) resetScratch() {
	for _, f := range []*observedFeatures{&r.here, &r.next} {
		*f = observedFeatures{phi: make([]float64, r.dims), psi: make([]float64, r.dims)}
	}
}

func (r *successorFeatures) Begin() {}

// load sets f to φ and ψ of a state: ψ(s) = Σ φ_i(s) W(i,·), summed in the order of features.
func (r *successorFeatures) load(f *observedFeatures, state int32) {
	r.env.Observe(int(state), f.phi)
	f.active = f.active[:0]
	clear(f.psi)
	for i, x := range f.phi {
		if x == 0 {
			continue
		}
		f.active = append(f.active, i)
		for j, w := range r.w[i*r.dims : (i+1)*r.dims] {
			f.psi[j] += float64(x * w)
		}
	}
}

func (r *successorFeatures) Observe(m envs.Transition, _ bool) {
	r.departed[m.State] = true
	r.load(&r.here, m.State)
	r.load(&r.next, m.Next)
	follows := r.next.psi
	if m.Terminal {
		follows = r.next.phi
	}
	for j, psi := range r.here.psi {
		r.here.psi[j] = float64(r.gamma*follows[j]) + r.here.phi[j] - psi
	}
	step := StepSizeFor(r.here.phi)
	for _, i := range r.here.active {
		rate := float64(step * r.here.phi[i])
		row := r.w[i*r.dims : (i+1)*r.dims]
		for j, difference := range r.here.psi {
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

// CheckFull returns nil: the matrix has the environment's features.
func (r *successorFeatures) CheckFull() error { return nil }

func (r *successorFeatures) Clone() StateMatrix {
	c := &successorFeatures{
		env: r.env, gamma: r.gamma, dims: r.dims, w: slices.Clone(r.w), departed: maps.Clone(r.departed),
	}
	c.resetScratch()
	return c
}

// Dataset returns ψ, one row for each distinct observation that a transition began in.
func (r *successorFeatures) Dataset(int) (linalg.Dataset, error) {
	var rows []linalg.CountedRow
	for _, state := range DistinctObservations(r.env, slices.Sorted(maps.Keys(r.departed))) {
		r.load(&r.here, state)
		rows = append(rows, linalg.CountedRow{Row: schema.NewSparseRow(r.here.psi), Count: 1})
	}
	return linalg.NewDataset(r.dims, rows), nil
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
