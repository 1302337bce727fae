package learn

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// TestOptionsTerminate: whatever the graph, the rewards, the discount, the tolerance and the sweeps, no
// option fails its certificate. Rewards that tie, nearly or exactly, are the rule here: policies that
// took the lowest action within the tolerance of the best would fail with some of them.
func TestOptionsTerminate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := drawAnyModel(t)
		spec := schema.Spec{
			Numerics:  schema.NumericsVersion,
			Gamma:     rapid.SampledFrom([]float64{0, 0.5, 0.99, 0.9999, 0.9999999, 1 - 1e-12}).Draw(t, "gamma"),
			Tolerance: rapid.SampledFrom([]float64{0, 0, 1e-12, 1e-9, 1e-3}).Draw(t, "tolerance"),
			Sweeps:    rapid.Int64Range(1, 300).Draw(t, "sweeps"),
			Learner:   schema.Sweeps,
		}
		if model.Deterministic() {
			spec.Learner = rapid.SampledFrom([]schema.Learner{schema.Sweeps, schema.Exact}).Draw(t, "learner")
		}
		w := drawTyingRewards(t, model.States)
		o, _, err := NewModelLearner(graph{model: model}, spec).Learn(context.Background(), schema.Purpose{Vector: w})
		if err != nil {
			t.Fatal(err)
		}
		if o.Certificate.PeakQ > o.Certificate.Tolerance {
			t.Fatalf("q is %v at the state of largest w", o.Certificate.PeakQ)
		}
	})
}

// drawAnyModel draws a graph, or a stochastic model of the same kind.
func drawAnyModel(t *rapid.T) *envs.Model {
	if rapid.Bool().Draw(t, "deterministic") {
		return drawModel(t)
	}
	states, actions := rapid.IntRange(1, 40).Draw(t, "states"), rapid.IntRange(1, 3).Draw(t, "actions")
	return envs.NewStochasticModel(states, actions, func(int, int) (branches []envs.Branch) {
		for range rapid.IntRange(1, 3).Draw(t, "branches") {
			branches = append(branches, envs.Branch{
				Next:     int32(rapid.IntRange(0, states-1).Draw(t, "next")),
				Weight:   rapid.Int64Range(1, 9).Draw(t, "weight"),
				Terminal: rapid.IntRange(0, 9).Draw(t, "over") == 0,
			})
		}
		return branches
	})
}

// drawTyingRewards draws potentials of few values, some of which differ by rounding alone.
func drawTyingRewards(t *rapid.T, states int) []float64 {
	levels := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 4).Draw(t, "levels")
	w := make([]float64, states)
	for s := range w {
		w[s] = levels[rapid.IntRange(0, len(levels)-1).Draw(t, "level")]
		switch rapid.IntRange(0, 5).Draw(t, "noise") {
		case 0:
			w[s] = math.Nextafter(w[s], 2)
		case 1:
			w[s] += 1e-10
		}
	}
	return w
}
