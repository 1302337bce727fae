package selection_test

import (
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// TestRandomDirections: directions have length 1, depend on seed, iteration and j alone, and are near to uniform
// on the sphere in d dimensions: of n of them the mean of each entry's square is 1/d, and that of its fourth
// power 3/(d(d + 2)), within five standard errors; the latter within a tenth, as sums of twelve are not normal.
func TestRandomDirections(t *testing.T) {
	const d, n = 6, 3000
	sigma := make([]float64, d)
	for j := range sigma {
		sigma[j] = float64(d - j)
	}
	f := schema.Factors{Dims: d, Sigma: sigma}
	squares, fourths := make([]float64, d), 0.0
	for seed := range uint64(n) {
		spec := schema.Spec{Basis: schema.Random, Seed: seed, Kappa: 3.5}
		purposes := purposesAbove(spec, 2, f)
		if len(purposes) != 6 || purposes[0].Sigma != 6 {
			t.Fatalf("%d purposes, want both signs of 3", len(purposes))
		}
		v := purposes[2].Vector
		if !slices.Equal(v, selection.NewDirections(spec, 2, f).Vector(1)) {
			t.Fatalf("seed %d: direction 2 depends on what was asked before", seed)
		}
		length := 0.0
		for i, x := range v {
			squares[i] += x * x / n
			fourths += x * x * x * x / (n * d)
			length += x * x
		}
		if math.Abs(length-1) > 1e-12 {
			t.Errorf("seed %d: length² %v", seed, length)
		}
	}
	for i, square := range squares { // the variance of x² is 3/(d(d+2)) − 1/d²
		if math.Abs(square-1.0/d) > 5*math.Sqrt((3.0/(d*(d+2))-1.0/(d*d))/n) {
			t.Errorf("the mean square of entry %d is %v, want %v", i, square, 1.0/d)
		}
	}
	if want := 3.0 / (d * (d + 2)); math.Abs(fourths/want-1) > 0.1 {
		t.Errorf("the mean fourth power is %v, want about %v", fourths, want)
	}
	same := schema.Spec{Basis: schema.Random}
	other := same
	other.Seed = 1
	first := selection.NewDirections(same, 0, f).Vector(0)
	for name, v := range map[string][]float64{
		"seed": selection.NewDirections(other, 0, f).Vector(0), "iteration": selection.NewDirections(same, 1, f).Vector(0),
		"j": selection.NewDirections(same, 0, f).Vector(1),
	} {
		if slices.Equal(v, first) {
			t.Errorf("the direction does not depend on the %s", name)
		}
	}
}
