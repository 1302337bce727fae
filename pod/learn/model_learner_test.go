package learn

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// graph is an environment whose features are its states: w is the purpose.
type graph struct {
	envs.Env
	model *envs.Model
}

func (g graph) Model() *envs.Model       { return g.model }
func (g graph) Deterministic() bool      { return g.model.Deterministic() }
func (g graph) Potential(e, w []float64) { copy(w, e) }

func learnerSpec(gamma, tolerance float64, sweeps int64) schema.Spec {
	return schema.Spec{Gamma: gamma, Tolerance: tolerance, Sweeps: sweeps}
}

// plainOption returns the option of w by the definitions, or not ok where its
// certificate fails.
func plainOption(m *envs.Model, w []float64, spec schema.Spec) (o schema.Option, ok bool) {
	v := fullSweeps(m, w, spec.Gamma, spec.Sweeps)
	largest, peak := 0.0, 0
	for s, x := range w {
		largest = max(largest, math.Abs(x))
		if x > w[peak] {
			peak = s
		}
	}
	const eps = 2.220446049250313e-16 // 2⁻⁵²
	tolerance := max(spec.Tolerance, 8*eps*largest/(1-spec.Gamma), 0x1p-900)
	o = schema.Option{Arity: m.Actions, Policy: make([]int8, m.States)}
	for s := range o.Policy {
		o.Policy[s] = plainChoice(fullBackup(m, w, v, spec.Gamma, s), tolerance)
	}
	o.Certificate, ok = plainCertificate(m, o.Policy)
	o.Certificate.Tolerance = tolerance
	o.Certificate.PeakQ = slices.Max(fullBackup(m, w, v, spec.Gamma, peak))
	return o, ok && o.Policy[peak] == -1
}

// plainChoice returns ⊥ if no q exceeds the tolerance, else the lowest action of the greatest q.
func plainChoice(q []float64, tolerance float64) int8 {
	best := math.Inf(-1)
	for _, x := range q {
		best = max(best, x)
	}
	if best <= tolerance {
		return -1
	}
	a := 0
	for q[a] < best {
		a++
	}
	return int8(a)
}

// plainCertificate walks from every state of I on its own. A walk of more steps
// than there are states is in a cycle.
func plainCertificate(m *envs.Model, policy []int8) (c schema.Certificate, ok bool) {
	c = schema.Certificate{Termination: "proved", Acyclic: true, Null: true}
	var total int64
	for start := range policy {
		s, steps := start, int64(0)
		for policy[s] != -1 {
			if steps++; steps > int64(len(policy)) {
				return c, false
			}
			s = m.Next(s, int(policy[s]))
		}
		if steps > 0 {
			c.Initiation++
			c.Null = false
			total += steps
			c.Longest = max(c.Longest, schema.PathLength(steps))
		}
	}
	if c.Initiation > 0 {
		reach := float64(total) / float64(c.Initiation)
		c.Reach = &reach
	}
	return c, true
}

// TestLearn compares with the definitions, on any graph and with any tolerance.
func TestLearn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		spec := learnerSpec(drawnGamma.Draw(t, "gamma"),
			rapid.SampledFrom([]float64{0, 1e-9, 0.01, 0.25, 0.3}).Draw(t, "tolerance"),
			rapid.Int64Range(1, 150).Draw(t, "sweeps"))
		learner := NewModelLearner(graph{model: m}, spec)
		for range 2 {
			p := schema.Purpose{J: 1, Sign: 1, Vector: drawPotential(t, m.States)}
			want, ok := plainOption(m, p.Vector, spec)
			want.Purpose = p
			got, v, err := learner.Learn(context.Background(), p)
			if !ok || err != nil {
				t.Fatalf("%v does not terminate: %v, %v", want.Policy, ok, err)
			}
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Fatalf("option (-want +got):\n%s", diff)
			}
			if !equalBits(v.(schema.Value), fullSweeps(m, p.Vector, spec.Gamma, spec.Sweeps)) {
				t.Fatal("the value table has other bits than full sweeps")
			}
		}
	})
}

func TestGreedyAction(t *testing.T) {
	tests := []struct {
		name      string
		q         []float64
		tolerance float64
		want      int8
	}{
		{"the best", []float64{1, 3, 2}, 0, 1},
		{"a tie goes to the lowest", []float64{1, 3, 3}, 0, 1},
		{"so does one within the tolerance", []float64{2.5, 3, 2}, 0.5, 0},
		{"and not one beyond it", []float64{2.25, 3, 2}, 0.5, 1},
		{"⊥ at the tolerance", []float64{0.5, 0.25}, 0.5, schema.Terminate},
		{"not above it", []float64{0.25, math.Nextafter(0.5, 1)}, 0.5, 0},
		{"⊥ at 0", []float64{0, -1}, 0, schema.Terminate},
		{"⊥ under 0", []float64{-2, -1}, 0, schema.Terminate},
		{"the least gain", []float64{-1, 5e-324}, 0, 1},
	}
	for _, tt := range tests {
		star := newModel(t, len(tt.q)+1, len(tt.q), func(s, a int) int {
			if s == 0 {
				return a + 1
			}
			return s
		})
		sw := newSweeper(star, 0)
		copy(sw.potential()[1:], tt.q)
		sw.loadValues(make([]float64, star.States))
		got := sw.expectedPolicy(tt.tolerance, tt.tolerance)[0]
		if got != tt.want || got != envs.GreedyAction(tt.q, tt.tolerance) {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestEffectiveTolerance: the spec's, and never under 8ε·max|w|/(1−γ), or 2⁻⁹⁰⁰.
func TestEffectiveTolerance(t *testing.T) {
	tests := []struct {
		spec, gamma float64
		w           []float64
		want        float64
	}{
		{1e-9, 0.99, []float64{1, -2}, 1e-9},
		{0, 0, []float64{1, -2, 0}, 0x1p-48},   // 8 · 2⁻⁵² · 2
		{0, 0.5, []float64{1, 2, 0}, 0x1p-47},  // … / ½
		{0x1p-47, 0.5, []float64{2}, 0x1p-47},  // equal
		{0x1p-50, 0.5, []float64{-4}, 0x1p-46}, // the floor of the larger w
		{0, 0.99, []float64{0}, 0x1p-900},
	}
	for _, tt := range tests {
		spec := learnerSpec(tt.gamma, tt.spec, 10)
		if got := EffectiveTolerance(spec, tt.w, 0); got != tt.want {
			t.Errorf("tolerance %v, γ %v, w %v: %v in force, want %v", tt.spec, tt.gamma, tt.w, got, tt.want)
		}
	}
}

// TestCertifyPeak: a table by which the state of largest w is not in T has no
// certificate. Sweeps never make one, so that it is made up here.
func TestCertifyPeak(t *testing.T) {
	sw := newSweeper(newModel(t, 2, 1, func(s, _ int) int { return 1 - s }), 0.5)
	sw.loadValues([]float64{0, 4})
	ends := &schema.Option{Policy: []int8{schema.Terminate, schema.Terminate}}
	tests := []struct {
		name      string
		w         []float64
		tolerance float64
		ok        bool
	}{
		{"q is −1", []float64{0, 1}, 0.5, true},
		{"q is 1", []float64{1, 0}, 0.5, false},
		{"q is 1, within the tolerance", []float64{1, 0}, 1, true},
	}
	for _, tt := range tests {
		copy(sw.potential(), tt.w)
		if c, err := certify(sw, ends, tt.tolerance); errors.Is(err, ErrNoTermination) == tt.ok {
			t.Errorf("%s: %+v, %v", tt.name, c, err)
		}
	}
}

// TestRegisteredLearners: the learners that package schema reads in a spec are computed here, and no others.
func TestRegisteredLearners(t *testing.T) {
	for _, name := range schema.Learners.Names() {
		if _, known := learners[schema.Learner(name)]; !known || len(learners) != len(schema.Learners.Names()) {
			t.Errorf("%s: %v", name, slices.Sorted(maps.Keys(learners)))
		}
	}
}
