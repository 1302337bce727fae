package pod

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// graph is an environment whose features are its states: w is the purpose.
type graph struct {
	Env
	model *Model
}

func (g graph) Model() *Model            { return g.model }
func (g graph) Deterministic() bool      { return g.model.Deterministic() }
func (g graph) Potential(e, w []float64) { copy(w, e) }

func learnerSpec(gamma, tolerance float64, sweeps int64) schema.Spec {
	return schema.Spec{Gamma: gamma, Tolerance: tolerance, Sweeps: sweeps}
}

// plainOption returns the option of w by the definitions, or not ok where its
// certificate fails.
func plainOption(m *Model, w []float64, spec schema.Spec) (o schema.Option, ok bool) {
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
func plainCertificate(m *Model, policy []int8) (c schema.Certificate, ok bool) {
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
			rapid.SampledFrom([]float64{0, 1e-9, 0.01, 0.3}).Draw(t, "tolerance"),
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
			if !equalBits(v, fullSweeps(m, p.Vector, spec.Gamma, spec.Sweeps)) {
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
		star := newModel(len(tt.q)+1, len(tt.q), func(s, a int) int {
			if s == 0 {
				return a + 1
			}
			return s
		})
		sw := newSweeper(star, 0)
		copy(sw.potential()[1:], tt.q)
		sw.loadValues(make([]float64, star.States))
		got := sw.expectedPolicy(tt.tolerance, tt.tolerance)[0]
		if got != tt.want || got != GreedyAction(tt.q, tt.tolerance) {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestPolicy holds the policy of a whole table to its definition, state by state.
func TestPolicy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, gamma := drawModel(t), drawnGamma.Draw(t, "gamma")
		w, tolerance := drawPotential(t, m.States),
			rapid.SampledFrom([]float64{0, 1e-9, 0.25, 0.5}).Draw(t, "tolerance")
		sw := newSweeper(m, gamma)
		swept(t, sw, w, rapid.Int64Range(1, 20).Draw(t, "sweeps"))
		for s, got := range sw.policy(tolerance) {
			q := fullBackup(m, w, sw.values(), gamma, s)
			want := int8(slices.Index(q, slices.Max(q)))
			if slices.Max(q) <= tolerance {
				want = schema.Terminate
			}
			if got != want {
				t.Fatalf("state %d: %d, want %d of q %v", s, got, want, q)
			}
		}
	})
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
		if got := effectiveTolerance(spec, tt.w, 0); got != tt.want {
			t.Errorf("tolerance %v, γ %v, w %v: %v in force, want %v", tt.spec, tt.gamma, tt.w, got, tt.want)
		}
		still := newModel(len(tt.w), 1, func(s, a int) int { return s })
		o, _, err := NewModelLearner(graph{model: still}, spec).Learn(context.Background(),
			schema.Purpose{Vector: tt.w})
		if err != nil || o.Certificate.Tolerance != tt.want {
			t.Errorf("tolerance %v, γ %v, w %v: %v, %v recorded, want %v", tt.spec, tt.gamma, tt.w, o, err, tt.want)
		}
	}
}

// TestNullOption: where nothing exceeds the tolerance, no state is in I.
func TestNullOption(t *testing.T) {
	tests := []struct {
		name      string
		e         []float64
		tolerance float64
		peak      float64
		null      bool
	}{
		{"no purpose", []float64{0, 0, 0}, 1e-9, 0, true},
		{"a gain of the tolerance", []float64{0.5, 0, 0}, 0.5, -0.5, true},
		{"a gain above it", []float64{0.5, 0, 0}, 0.25, -0.5, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			learner := NewModelLearner(ringOf(t, 3, 0), learnerSpec(0, tt.tolerance, 100))
			o, _, err := learner.Learn(context.Background(), schema.Purpose{J: 1, Sign: 1, Vector: tt.e})
			if err != nil {
				t.Fatal(err)
			}
			if c := o.Certificate; c.Null != tt.null || (c.Initiation == 0) != tt.null || (c.Reach == nil) != tt.null ||
				(c.Longest == 0) != tt.null {
				t.Errorf("certificate %+v", c)
			}
			if o.Certificate.PeakQ != tt.peak {
				t.Errorf("q is %v at the state of largest w, want %v", o.Certificate.PeakQ, tt.peak)
			}
			if starts := slices.ContainsFunc([]int{0, 1, 2, 3, 4, 5, 6, 7}, o.CanStart); starts == tt.null {
				t.Errorf("policy %v", o.Policy)
			}
		})
	}
}

// TestCertifyPeak: a table by which the state of largest w is not in T has no
// certificate. Sweeps never make one, so that it is made up here.
func TestCertifyPeak(t *testing.T) {
	sw := newSweeper(newModel(2, 1, func(s, _ int) int { return 1 - s }), 0.5)
	sw.loadValues([]float64{0, 4})
	ends := []int8{schema.Terminate, schema.Terminate}
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

// TestTheorem is Theorem 3.1 of the paper, for any purpose, discount and number
// of sweeps: there is a state to end in, the state of largest w is one, and from
// every state of I the policy gets there.
func TestTheorem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(3, 8).Draw(t, "bits")
		hide := rapid.IntRange(0, bits-1).Draw(t, "hide")
		e := make([]float64, bits-hide)
		for i := range e {
			e[i] = float64(rapid.IntRange(-1000, 1000).Draw(t, "e")) / 1000
		}
		spec := learnerSpec(rapid.Float64Range(0, 0.99).Draw(t, "gamma"),
			rapid.SampledFrom([]float64{0, 1e-9}).Draw(t, "tolerance"), rapid.Int64Range(1, 300).Draw(t, "sweeps"))
		env := ringOf(t, bits, hide)
		o, _, err := NewModelLearner(env, spec).Learn(context.Background(), schema.Purpose{J: 1, Sign: 1, Vector: e})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(o.Policy, schema.Terminate) {
			t.Fatal("there is no state to end in")
		}
		if _, ok := plainCertificate(env.Model(), o.Policy); !ok {
			t.Fatalf("policy %v runs in a cycle", o.Policy)
		}
		w := make([]float64, 1<<bits)
		env.Potential(e, w)
		if peak := slices.Index(w, slices.Max(w)); o.Policy[peak] != schema.Terminate {
			t.Fatalf("the option goes on in state %d, the first of largest w", peak)
		}
		if c := o.Certificate; c.Termination != schema.Proved || !c.Acyclic || c.PeakQ > c.Tolerance {
			t.Fatalf("certificate %+v", c)
		}
	})
}

func TestLearnCancelled(t *testing.T) {
	learner := NewModelLearner(ringOf(t, 6, 0), learnerSpec(0.99, 1e-9, 100))
	p := schema.Purpose{J: 1, Sign: 1, Vector: []float64{1, 0, -1, 0.5, 0, 0.25}}
	want, _, err := learner.Learn(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for patience := range 10 {
		if _, _, err := learner.Learn(&cancelledAfter{context.Background(), patience}, p); err != context.Canceled {
			t.Errorf("after %d sweeps: %v, want context.Canceled", patience, err)
		}
	}
	got, _, err := learner.Learn(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after cancelled ones (-want +got):\n%s", diff)
	}
}
