package diff

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// modelMetric returns the metric of an environment.
func modelMetric(t rapid.TB, env envs.SimulatedEnv) *metric {
	t.Helper()
	m, err := newMetric(context.Background(), len(env.Features()), selection.ModelTransitions(env))
	ok(t, err)
	return m
}

// pooledOf returns the metric of datasets.
func pooledOf(t rapid.TB, dims int, data ...linalg.Dataset) *metric {
	t.Helper()
	m, err := newMetric(context.Background(), dims, selection.DataTransitions(data...))
	ok(t, err)
	return m
}

// naiveM returns Σδδᵀ over all transitions of a ring, from the definition: δ is the
// change of the visible bits.
func naiveM(bits, hide int) *mat.Dense {
	d := bits - hide
	sum := mat.NewDense(d, d, nil)
	for s := range 1 << bits {
		for _, to := range []int{(s + 1) % (1 << bits), (s - 1 + 1<<bits) % (1 << bits)} {
			delta := make([]float64, d)
			for i := range delta {
				delta[i] = float64(to>>(hide+i)&1 - s>>(hide+i)&1)
			}
			sum.RankOne(sum, 1, mat.NewVecDense(d, delta), mat.NewVecDense(d, delta))
		}
	}
	return sum
}

// naiveCos returns eᵀMf / √(eᵀMe · fᵀMf).
func naiveCos(m mat.Matrix, e, f []float64) float64 {
	x, y := mat.NewVecDense(len(e), e), mat.NewVecDense(len(f), f)
	return mat.Inner(x, m, y) / math.Sqrt(mat.Inner(x, m, x)*mat.Inner(y, m, y))
}

func TestCosOverAllTransitions(t *testing.T) {
	for _, shape := range [][2]int64{{1, 0}, {4, 0}, {7, 0}, {7, 3}, {6, 5}, {9, 2}} {
		bits, hide := int(shape[0]), int(shape[1])
		naive, m := naiveM(bits, hide), modelMetric(t, ring(t, shape[0], shape[1]))
		set := orthonormal(uint64(bits), bits-hide, bits-hide)
		set = append(set, orthonormal(99, bits-hide, bits-hide)...)
		for _, e := range set {
			for _, f := range set {
				closeTo(t, fmt.Sprint("cos on ring ", shape), m.Cos(e, f), naiveCos(naive, e, f))
			}
		}
	}
}

// TestRank: every visible bit of a ring flips somewhere, and a row's rank is that
// of what was recorded.
func TestRank(t *testing.T) {
	for _, shape := range [][2]int64{{1, 0}, {12, 0}, {12, 3}, {12, 11}, {16, 0}} {
		if got, want := modelMetric(t, ring(t, shape[0], shape[1])).Rank(), int(shape[0]-shape[1]); got != want {
			t.Errorf("ring %v: rank %d, want %d", shape, got, want)
		}
	}
	for _, c := range []struct {
		rows []float64
		want int
	}{
		{nil, 0}, {[]float64{0, 0, 0}, 0}, {[]float64{1, 2, 3}, 1}, {[]float64{1, 2, 3, 2, 4, 6}, 1},
		{[]float64{-1, 1, 0, 0, 1, 0}, 2},
	} {
		if got := pooledOf(t, 3, datasetOf(3, c.rows)).Rank(); got != c.want {
			t.Errorf("rows %v: rank %d, want %d", c.rows, got, c.want)
		}
	}
}

func datasetOf(dims int, rows []float64) linalg.Dataset {
	f := linalg.Dataset{Dims: dims, Rows: schema.NewSparseRows(dims, rows)}
	for range len(rows) / dims {
		f.Counts = append(f.Counts, 1)
	}
	return f
}

// TestPooledMetric weighs each distinct row by its count, over all datasets.
func TestPooledMetric(t *testing.T) {
	a := linalg.Dataset{Dims: 2, Rows: schema.NewSparseRows(2, []float64{0, 1, 1, 0}), Counts: []int64{3, 1}}
	b := linalg.Dataset{Dims: 2, Rows: schema.NewSparseRows(2, []float64{1, 1}), Counts: []int64{2}}
	m := pooledOf(t, 2, a, b) // M = 3·(0,1)² + (1,0)² + 2·(1,1)²
	naive := mat.NewDense(2, 2, []float64{1 + 2, 2, 2, 3 + 2})
	e, f := []float64{1, 0}, []float64{0.6, -0.8}
	closeTo(t, "cos", m.Cos(e, f), naiveCos(naive, e, f))
}

// TestUnseenDirections: directions in which no transition changes anything make no difference.
func TestUnseenDirections(t *testing.T) {
	m := pooledOf(t, 3, datasetOf(3, []float64{-1, 1, 0, 1, 0, 0})) // feature 2 never changes
	e, f, hidden := []float64{1, 2, 0}, []float64{3, -1, 0}, []float64{0, 0, 1}
	for _, scale := range []float64{1, -4, 1e6} {
		moved := append([]float64(nil), e...)
		floats.AddScaled(moved, scale, hidden)
		closeTo(t, "cos with an unseen part", m.Cos(moved, f), m.Cos(e, f))
	}
	zero := make([]float64, 3)
	for _, c := range []struct {
		name string
		e, f []float64
		want float64
	}{
		{"two that nothing shows", hidden, []float64{0, 0, -2}, 1}, {"nothing and the unseen", zero, hidden, 1},
		{"unseen and seen", hidden, e, 0}, {"seen and nothing", e, zero, 0},
		{"rounding alone", []float64{1e-17, 0, 1}, hidden, 1},
	} {
		if got := m.Cos(c.e, c.f); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCosProperties: cos_M does not see the scale, is symmetric, turns with the
// sign, stays within ±1, and is exactly 1 of a vector with itself.
func TestCosProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := drawRing(t)
		m, d := modelMetric(t, env), len(env.Features())
		e, f := drawVector(t, "e", d), drawVector(t, "f", d)
		scale := math.Ldexp(rapid.Float64Range(1, 2).Draw(t, "scale"), rapid.IntRange(-200, 200).Draw(t, "exponent"))
		scaled, opposite := append([]float64(nil), e...), append([]float64(nil), e...)
		floats.Scale(scale, scaled)
		floats.Scale(-1, opposite)
		c := m.Cos(e, f)
		if c != m.Cos(f, e) || math.Abs(c) > 1 || math.Abs(m.Cos(scaled, f)-c) > rounding {
			t.Fatalf("cos %v, the other way round %v, scaled %v", c, m.Cos(f, e), m.Cos(scaled, f))
		}
		if got := m.Cos(e, scaled); got != 1 {
			t.Fatalf("cos of a vector with its multiple: %v", got)
		}
		if nothing := floats.Norm(e, 2) == 0; !nothing && m.Cos(opposite, f) != -c {
			t.Fatalf("cos of the opposite: %v, want %v", m.Cos(opposite, f), -c)
		}
	})
}

// TestAnyNumbers: whatever finite numbers a record has, a cosine is a number, and
// sets of them can be matched.
func TestAnyNumbers(t *testing.T) {
	number := rapid.Float64().Filter(func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) })
	rapid.Check(t, func(t *rapid.T) {
		vector := rapid.SliceOfN(rapid.OneOf(number,
			rapid.SampledFrom([]float64{0, math.MaxFloat64, -math.MaxFloat64, 5e-324})), 3, 3)
		set := rapid.SliceOfN(vector, 1, 5).Draw(t, "vectors")
		for name, m := range map[string]*metric{"model": modelMetric(t, rings[1]),
			"pooled": pooledOf(t, 3, datasetOf(3, slices.Concat(set...)))} {
			var images [][]float64
			for _, e := range set {
				images = append(images, m.Image(e))
			}
			for _, c := range matchedCosines(images, images) {
				if !(c >= 0 && c <= 1) {
					t.Fatalf("%s: |cos| %v", name, c)
				}
			}
		}
	})
}

// orthonormal returns n ≤ d vectors: the left factor of a QR factorisation of noise.
func orthonormal(seed uint64, n, d int) [][]float64 {
	stream := rng.NewStream(seed, 0, "test")
	noise := mat.NewDense(d, d, nil)
	noise.Apply(func(_, _ int, _ float64) float64 { return float64(stream.Below(1<<30))/(1<<29) - 1 }, noise)
	var qr mat.QR
	qr.Factorize(noise)
	var q mat.Dense
	qr.QTo(&q)
	set := make([][]float64, n)
	for i := range set {
		set[i] = mat.Col(nil, i, &q)
	}
	return set
}
