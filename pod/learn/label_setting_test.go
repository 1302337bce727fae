package learn

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

func solved(t rapid.TB, sw *sweeper, w []float64) {
	t.Helper()
	copy(sw.potential(), w)
	if err := sw.runLabelSetting(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestLabelSetting: on any graph, one more sweep changes no bit of the values, and many
// sweeps come as near to them as their number allows: γⁿ of the largest value.
func TestLabelSetting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, gamma := drawModel(t), drawnGamma.Draw(t, "gamma")
		w := drawPotential(t, m.States)
		sw := newSweeper(m, gamma)
		if rapid.Bool().Draw(t, "used before") {
			solved(t, sw, drawPotential(t, m.States))
		}
		solved(t, sw, w)
		for s, v := range sw.values() {
			best := 0.0
			for _, q := range fullBackup(m, w, sw.values(), gamma, s) {
				best = max(best, q)
			}
			if best != v {
				t.Fatalf("state %d: %v, and %v after one more sweep", s, v, best)
			}
		}
		const sweeps = 300
		near := math.Pow(gamma, sweeps)*4/(1-gamma) + 1e-9
		for s, v := range fullSweeps(m, w, gamma, sweeps) {
			if x := sw.values()[s]; x < v-1e-9 || x > v+near {
				t.Fatalf("state %d: %v, after %d sweeps %v", s, x, sweeps, v)
			}
		}
	})
}

// TestLabelSettingOnRing compares the two learners on the paper's own purposes: 100 sweeps
// are up to 0.14 from the fixed point, and up to 21 of 4096 states choose otherwise
// (simulated before, for other seeds; here within twice that).
func TestLabelSettingOnRing(t *testing.T) {
	env := podtest.Ring(t, 12, 0)
	spec := learnerSpec(0.99, 1e-9, 100)
	exact := spec
	exact.Learner, exact.Sweeps = schema.Exact, 0
	apart, otherwise := 0.0, 0
	for _, basis := range []schema.Basis{schema.RightSingular, schema.RowsOfV} {
		for _, p := range purposesOfWalk(t, env, 0, basis) {
			a, v, err := NewModelLearner(env, spec).Learn(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			b, u, err := NewModelLearner(env, exact).Learn(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if b.Certificate.Termination != schema.Proved || !b.Certificate.Acyclic {
				t.Errorf("purpose %d%+d: %+v", p.J, p.Sign, b.Certificate)
			}
			n := 0
			for s := range u.(schema.Value) {
				apart = max(apart, math.Abs(u.(schema.Value)[s]-v.(schema.Value)[s]))
				if a.Policy[s] != b.Policy[s] {
					n++
				}
			}
			otherwise = max(otherwise, n)
		}
	}
	if apart == 0 || apart > 0.28 || otherwise == 0 || otherwise > 42 {
		t.Errorf("values up to %v apart, policies in up to %d states", apart, otherwise)
	}
	t.Logf("values up to %.3f apart, policies in up to %d of %d states", apart, otherwise, env.States())
}

// TestLabelSettingCancelled: after a cancellation at any point the memory can be used for
// the next purpose.
func TestLabelSettingCancelled(t *testing.T) {
	env := podtest.Ring(t, 6, 0)
	sw, w := newSweeper(env.Model(), 0.99), make([]float64, env.States())
	for patience := range 2 {
		env.Potential([]float64{1, 0, -1, 0.5, 0, 0.25}, sw.potential())
		if err := sw.runLabelSetting(&cancelledAfter{context.Background(), patience}); !errors.Is(err,
			context.Canceled) {
			t.Fatalf("after %d questions: %v", patience, err)
		}
		env.Potential([]float64{-1, 0, 0, 0, 0.5, 1}, w)
		solved(t, sw, w)
		want := fullSweeps(env.Model(), w, 0.99, 5000)
		for s, v := range sw.values() {
			if math.Abs(v-want[s]) > 1e-12 {
				t.Fatalf("stopped after %d questions, the next purpose has %v in state %d, want %v", patience, v, s,
					want[s])
			}
		}
	}
}
