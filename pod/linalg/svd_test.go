package linalg_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// Tolerances, relative to the largest σ or entry of D. gonum's own residual on
// this data is a few 1e-15.
const (
	sigmaTolerance      = 1e-10
	orthonormal         = 1e-12
	rebuildTolerance    = 1e-12
	projectionTolerance = 1e-10 // between subspaces that are clearGap apart
	clearGap            = 1e-2
	rankTolerance       = 1e-10 // under which gonum's σ is 0
)

// TestFactorOfWalks compares 3000 walks with gonum. Many of them are too short
// to see every bit flip: rank-deficient, where σ must be exactly 0.
func TestFactorOfWalks(t *testing.T) {
	for how, n := range map[linalg.Factoring]uint64{linalg.Gram: 3000, linalg.Reduced: 3000, linalg.Bidiagonal: 3000} {
		t.Run(fmt.Sprint(how), func(t *testing.T) { checkWalks(t, how, n) })
	}
}

func checkWalks(t *testing.T, how linalg.Factoring, n uint64) {
	deficient := uint64(0)
	for seed := range n {
		shape := rng.NewStream(seed, 1, "test")
		bits := 1 + shape.Below(12)
		hide := shape.Below(bits)
		steps := 1 + shape.Below(300)
		rows := podtest.Walked(seed, bits, hide, steps)
		f := factoredBy(t, how, bits-hide, rows)
		sigma := checkFactors(t, f, rows)
		for j, s := range sigma {
			if s <= rankTolerance*sigma[0] {
				deficient++
				if f.Sigma[j] != 0 {
					t.Errorf("seed %d: σ%d = %v where D has rank %d", seed, j, f.Sigma[j], j)
				}
				break
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d, %d bits, %d hidden, %d steps", seed, bits, hide, steps)
		}
	}
	if deficient < n/6 {
		t.Errorf("only %d datasets were rank-deficient", deficient)
	}
}

// TestFactorOfReals compares rows of real numbers, of any rank, and of any scale
// whose squares are floats.
func TestFactorOfReals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 10).Draw(t, "dims")
		rank := rapid.IntRange(0, dims).Draw(t, "rank")
		scale := math.Ldexp(1, rapid.IntRange(-300, 300).Draw(t, "scale"))
		unit := rapid.Map(rapid.Float64Range(-1, 1), func(x float64) float64 {
			if math.Abs(x) < 1e-6 {
				return 0
			}
			return x
		})
		basis := rapid.SliceOfN(rapid.SliceOfN(unit, dims, dims), rank, rank).Draw(t, "basis")
		weights := rapid.SliceOfN(rapid.SliceOfN(unit, rank, rank), 1, 30).Draw(t, "weights")
		rows := make([][]float64, len(weights))
		for i, w := range weights {
			rows[i] = make([]float64, dims)
			for r, b := range basis {
				for j := range rows[i] {
					rows[i][j] += float64(float64(w[r]*b[j]) * scale)
				}
			}
		}
		for _, how := range ofReals {
			checkFactors(t, factoredBy(t, how, dims, rows), rows)
		}
	})
}

// ofReals are the ways to factor rows of real numbers.
var ofReals = []linalg.Factoring{linalg.Reduced, linalg.Bidiagonal}

// TestFactorOfNoise has columns that are combinations of others but for noise at
// and under the rounding of the rest, where a method without deflation does not
// end (facts.md, "The ring, exactly").
func TestFactorOfNoise(t *testing.T) {
	for seed := range uint64(300) {
		stream := rng.NewStream(seed, 0, "test")
		unit := func() float64 { return float64(stream.Uint64()>>12)/(1<<51) - 1 }
		dims, rank := 2+stream.Below(14), 1+stream.Below(4)
		noise := math.Pow(10, -float64(13+stream.Below(6)))
		basis := make([]float64, rank*dims)
		for i := range basis {
			basis[i] = unit()
		}
		rows := make([][]float64, 1+stream.Below(60))
		for i := range rows {
			rows[i] = make([]float64, dims)
			for r := range rank {
				weight := unit()
				for j := range dims {
					rows[i][j] += weight*basis[r*dims+j] + noise*unit()
				}
			}
		}
		for _, how := range ofReals {
			checkFactors(t, factoredBy(t, how, dims, rows), rows)
		}
		if t.Failed() {
			t.Fatalf("seed %d, %d dimensions of rank %d, noise %v", seed, dims, rank, noise)
		}
	}
}

func factoredBy(t rapid.TB, how linalg.Factoring, dims int, rows [][]float64) schema.Factors {
	t.Helper()
	d := podtest.Counted(dims, rows)
	f, err := linalg.Factor(context.Background(), how, d)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d, podtest.Counted(dims, rows)) {
		t.Fatal("factoring changes the dataset")
	}
	return f
}

// leftRows returns the rows of U.
func leftRows(f schema.Factors) (rows [][]float64) {
	for _, row := range f.Rows {
		rows = append(rows, linalg.LeftSingularRow(f, row))
	}
	return rows
}

// checkFactors holds f, the factors of rows, against what factors are and
// against gonum, whose σ it returns.
func checkFactors(t rapid.TB, f schema.Factors, rows [][]float64) []float64 {
	t.Helper()
	if f.Total != int64(len(rows)) {
		t.Errorf("total %d of %d rows", f.Total, len(rows))
	}
	checkV(t, f)
	checkOrder(t, f)
	checkRebuilt(t, f)
	sigma, v := gonumSVD(t, f.Dims, rows)
	for j, want := range sigma {
		if math.Abs(f.Sigma[j]-want) > sigmaTolerance*sigma[0] {
			t.Errorf("σ%d = %v, gonum has %v", j, f.Sigma[j], want)
		}
	}
	checkSubspaces(t, f, sigma, v)
	return sigma
}

func gonumSVD(t rapid.TB, dims int, rows [][]float64) ([]float64, *mat.Dense) {
	t.Helper()
	d := mat.NewDense(max(len(rows), dims), dims, nil) // rows of 0 change neither Σ nor V
	for i, row := range rows {
		d.SetRow(i, row)
	}
	var svd mat.SVD
	if !svd.Factorize(d, mat.SVDThin) {
		t.Fatal("gonum did not converge")
	}
	var v mat.Dense
	svd.VTo(&v)
	return svd.Values(nil), &v
}

// checkOrder: σ descends, and what it is 0 for has no left singular row.
func checkOrder(t rapid.TB, f schema.Factors) {
	t.Helper()
	if !slices.IsSortedFunc(f.Sigma, func(a, b float64) int { return -cmpFloat(a, b) }) {
		t.Errorf("σ = %v is not in descending order", f.Sigma)
	}
	for i, u := range leftRows(f) {
		for j, s := range f.Sigma {
			if s == 0 && u[j] != 0 {
				t.Errorf("U[%d,%d] = %v where σ is 0", i, j, u[j])
			}
		}
	}
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// checkV: V is orthonormal, has no −0, and the largest entry of each column is
// positive, the first one on ties; what is nearly the largest ties.
func checkV(t rapid.TB, f schema.Factors) {
	t.Helper()
	for j := range f.Dims {
		largest := 0
		for i := range f.Dims {
			x := f.V[i*f.Dims+j]
			if x == 0 && math.Signbit(x) {
				t.Errorf("V[%d,%d] is −0", i, j)
			}
			if math.Abs(x) > math.Abs(f.V[largest*f.Dims+j]) {
				largest = i
			}
		}
		top := math.Abs(f.V[largest*f.Dims+j])
		for i := largest - 1; i >= 0; i-- {
			if math.Abs(f.V[i*f.Dims+j]) >= (1-0x1p-20)*top {
				largest = i
			}
		}
		if !(f.V[largest*f.Dims+j] > 0) {
			t.Errorf("V[%d,%d] = %v leads its column", largest, j, f.V[largest*f.Dims+j])
		}
		for k := range j + 1 {
			dot := 0.0
			for i := range f.Dims {
				dot += f.V[i*f.Dims+j] * f.V[i*f.Dims+k]
			}
			want := 0.0
			if j == k {
				want = 1
			}
			if !(math.Abs(dot-want) <= orthonormal) {
				t.Errorf("columns %d and %d of V: %v, want %v", j, k, dot, want)
			}
		}
	}
}

// checkRebuilt: U Σ Vᵀ are the distinct rows.
func checkRebuilt(t rapid.TB, f schema.Factors) {
	t.Helper()
	scale := 0.0
	for _, x := range schema.DenseRows(f.Dims, f.Rows) {
		scale = max(scale, math.Abs(x))
	}
	for i, u := range leftRows(f) {
		for k, want := range f.Row(i) {
			got := 0.0
			for j, s := range f.Sigma {
				got += u[j] * s * f.V[k*f.Dims+j]
			}
			if !(math.Abs(got-want) <= rebuildTolerance*scale) {
				t.Errorf("(U Σ Vᵀ)[%d,%d] = %v, want %v", i, k, got, want)
			}
		}
	}
}

// checkSubspaces compares the projections on the columns between two clear gaps
// of σ: single columns have signs, and equal σ any basis, but these are unique.
func checkSubspaces(t rapid.TB, f schema.Factors, sigma []float64, v *mat.Dense) {
	t.Helper()
	for from, to := 0, 1; to <= len(sigma); to++ {
		if to < len(sigma) && !(sigma[to-1]-sigma[to] > clearGap*sigma[0]) {
			continue
		}
		for a := range f.Dims {
			for b := range f.Dims {
				got, want := 0.0, 0.0
				for j := from; j < to; j++ {
					got += f.V[a*f.Dims+j] * f.V[b*f.Dims+j]
					want += v.At(a, j) * v.At(b, j)
				}
				if !(math.Abs(got-want) <= projectionTolerance) {
					t.Errorf("projection on columns %d to %d of V: [%d,%d] = %v, gonum has %v", from, to-1, a, b, got,
						want)
				}
			}
		}
		from = to
	}
}

// TestFactorOfFew has known factors.
func TestFactorOfFew(t *testing.T) {
	tests := []struct {
		name string
		dims int
		rows [][]float64
		want schema.Factors
	}{
		{"nothing", 2, nil,
			schema.Factors{Dims: 2, Sigma: []float64{0, 0}, V: []float64{1, 0, 0, 1}}},
		{"zeros", 2, [][]float64{{0, 0}, {0, 0}},
			schema.Factors{Dims: 2, Total: 2, Rows: schema.NewSparseRows(2, []float64{0, 0}), Counts: []int64{2},
				Sigma: []float64{0, 0},
				V:     []float64{1, 0, 0, 1}}},
		{"four times −1", 1, [][]float64{{-1}, {-1}, {-1}, {-1}}, // D = −½ (1 1 1 1)ᵀ · 2 · 1
			schema.Factors{Dims: 1, Total: 4, Rows: schema.NewSparseRows(1, []float64{-1}), Counts: []int64{4},
				Sigma: []float64{2},
				V:     []float64{1}}},
		{"the second larger", 2, [][]float64{{0, 3}, {4, 0}, {0, 0}},
			schema.Factors{Dims: 2, Total: 3, Rows: schema.NewSparseRows(2, []float64{0, 0, 0, 3, 4, 0}),
				Counts: []int64{1, 1, 1},
				Sigma:  []float64{4, 3}, V: []float64{1, 0, 0, 1}}},
		{"the first larger", 2, [][]float64{{3, 0}, {0, 4}},
			schema.Factors{Dims: 2, Total: 2, Rows: schema.NewSparseRows(2, []float64{0, 4, 3, 0}), Counts: []int64{1, 1},
				Sigma: []float64{4, 3}, V: []float64{0, 1, 1, 0}}},
		{"equal", 2, [][]float64{{1, 0}, {0, 1}}, // the order of the columns is kept
			schema.Factors{Dims: 2, Total: 2, Rows: schema.NewSparseRows(2, []float64{0, 1, 1, 0}), Counts: []int64{1, 1},
				Sigma: []float64{1, 1}, V: []float64{1, 0, 0, 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, how := range ofReals {
				if diff := cmp.Diff(tt.want, factoredBy(t, how, tt.dims, tt.rows)); diff != "" {
					t.Errorf("%v: factors (-want +got):\n%s", how, diff)
				}
			}
		})
	}
}

// TestFactorFarScales has rows whose squares overflow or vanish: (3, 4) and its
// double have σ = 5√5 of their scale, and a second direction of exactly 0.
func TestFactorFarScales(t *testing.T) {
	for _, exponent := range []int{-1000, -900, -520, 0, 520, 1020} {
		x := math.Ldexp(1, exponent)
		for _, how := range ofReals {
			f := factoredBy(t, how, 2, [][]float64{{3 * x, 4 * x}, {6 * x, 8 * x}})
			if want := 5 * math.Sqrt(5); math.Abs(f.Sigma[0]/x-want) > 1e-14*want || f.Sigma[1] != 0 {
				t.Errorf("%v, 2^%d: σ = %v, want %v and 0 of it", how, exponent, f.Sigma, want)
			}
		}
	}
}

// TestFactorRounded compares the σ of real numbers with those that are taken from D itself, which have all digits.
func TestFactorRounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 6).Draw(t, "dims")
		entry := rapid.SampledFrom([]float64{0, 0, 1, -1, 0.3, 1.0 / 7, 1e-3})
		rows := rapid.SliceOfN(rapid.SliceOfN(entry, dims, dims), 1, 8).Draw(t, "rows")
		d := podtest.Counted(dims, rows)
		want, err := linalg.Factor(t.Context(), linalg.Reduced, d)
		if err != nil {
			t.Fatal(err)
		}
		got, err := linalg.FactorRounded(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for j, sigma := range want.Sigma {
			if math.Abs(got.Sigma[j]-sigma) > 1e-7*want.Sigma[0] {
				t.Fatalf("σ %v, want %v", got.Sigma, want.Sigma)
			}
		}
	})
}
