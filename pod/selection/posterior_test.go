package selection_test

import (
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// factorRows returns the factors of a small D.
func factorRows(t *testing.T, dims int, rows [][]float64) schema.Factors {
	t.Helper()
	f, err := linalg.Factor(t.Context(), linalg.Gram, podtest.Counted(dims, rows))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// posteriorSpec has the basis with a λ, and every direction.
func posteriorSpec(seed uint64, ridge float64) schema.Spec {
	return schema.Spec{Basis: schema.Posterior, Select: schema.Every, Seed: seed, Ridge: ridge}
}

// TestPosteriorMoments compares the mean square along each direction of V with its closed form. For coordinates of
// standard deviations a and b in the plane it is a/(a + b); with three, a, b and b, k = b²/a² < 1 and r = √(k/(1 − k)),
// it is (1 − r·(π/2 − arctan r))/(1 − k), the integral of a²(1 + 2a²t)^−3/2 (1 + 2b²t)^−1 over t ≥ 0. Directions agree
// within five standard errors and, as sums of twelve numbers are not quite normal, another 0.005.
func TestPosteriorMoments(t *testing.T) {
	const n = 4000
	for name, c := range map[string]struct {
		dims  int
		rows  [][]float64
		ridge float64
		along []float64
		want  func(deviation func(x float64) float64) float64 // of x = eᵀDᵀD e
	}{
		"plane, never seen": {2, [][]float64{{1, 1}, {1, 1}}, 0.5, []float64{1, 1},
			func(d func(float64) float64) float64 { return d(4) / (d(4) + d(0)) }},
		"plane, both seen": {2, [][]float64{{1, 0}, {0, 2}}, 1, []float64{1, 0},
			func(d func(float64) float64) float64 { return d(1) / (d(1) + d(4)) }},
		"space": {3, [][]float64{{0, 1, 1}, {0, 1, -1}}, 0.25, []float64{1, 0, 0},
			func(d func(float64) float64) float64 {
				k := d(2) * d(2) / (d(0) * d(0))
				r := math.Sqrt(k / (1 - k))
				return (1 - r*(math.Pi/2-math.Atan(r))) / (1 - k)
			}},
	} {
		f := factorRows(t, c.dims, c.rows)
		sum, squares := 0.0, 0.0
		for seed := range uint64(n) {
			v := selection.NewDirections(posteriorSpec(seed, c.ridge), 0, f).Vector(0)
			product, length := 0.0, linalg.Norm(c.along)
			for i, x := range v {
				product += x * c.along[i] / length
			}
			sum, squares = sum+product*product, squares+math.Pow(product, 4)
		}
		mean := sum / n
		want := c.want(func(x float64) float64 { return 1 / math.Sqrt(x+c.ridge) })
		if tolerance := 5*math.Sqrt((squares/n-mean*mean)/n) + 0.005; math.Abs(mean-want) > tolerance {
			t.Errorf("%s: a mean square of %v, want %v ± %v", name, mean, want, tolerance)
		}
	}
}

// TestPosteriorDirection: the direction follows from DᵀD and the draw alone, whichever signs V has; it is that of
// random where D has nothing, or λ is large; and all directions are kept, in both signs.
func TestPosteriorDirection(t *testing.T) {
	rows := [][]float64{{1, 0, 0, 0}, {1, -1, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}}
	f := factorRows(t, 4, rows)
	spec := posteriorSpec(3, 0)
	v := selection.NewDirections(spec, 1, f).Vector(2)
	turned := f
	turned.V = slices.Clone(f.V)
	for i := range 4 {
		turned.V[i*4] = -f.V[i*4]
		turned.V[i*4+2], turned.V[i*4+3] = 0.6*f.V[i*4+2]-0.8*f.V[i*4+3], 0.8*f.V[i*4+2]+0.6*f.V[i*4+3]
	}
	random := selection.NewDirections(schema.Spec{Basis: schema.Random, Seed: 3}, 1, f).Vector(2)
	for name, pair := range map[string][2][]float64{
		"another V":   {v, selection.NewDirections(spec, 1, turned).Vector(2)},
		"nothing":     {random, selection.NewDirections(spec, 1, factorRows(t, 4, [][]float64{{0, 0, 0, 0}})).Vector(2)},
		"a large λ":   {random, selection.NewDirections(posteriorSpec(3, 1e12), 1, f).Vector(2)},
		"the default": {v, selection.NewDirections(posteriorSpec(3, schema.DefaultRidge), 1, f).Vector(2)},
	} {
		for i, x := range pair[0] {
			if math.Abs(x-pair[1][i]) > 1e-9 {
				t.Errorf("%s: %v and %v", name, pair[0], pair[1])
				break
			}
		}
	}
	s, err := selection.SelectDirections(t.Context(), nil, spec, 1, collect.OptionSet{}, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	purposes, err := selectedPurposes(spec, 1, f, s)
	if err != nil || len(purposes) != 8 || !slices.Equal(purposes[4].Vector, v) {
		t.Errorf("%d purposes, %v", len(purposes), err)
	}
}
