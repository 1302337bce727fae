package selection_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// TestScaledByHand: of the rows (3, 4) twice, (−3, 4) twice and (0, 0) four times, with a feature that never
// changes, the mean squares are 36/8 and 64/8. DᵀD is diagonal, so that D' has DᵀD = 8·I on the first two
// features, σ = √8 for both, and each direction is a unit vector, which scaling back leaves alone.
func TestScaledByHand(t *testing.T) {
	rows := schema.NewSparseRows(3, []float64{-3, 4, 0, 0, 0, 0, 3, 4, 0})
	d := linalg.Dataset{Dims: 3, Rows: rows, Counts: []int64{2, 4, 2}}
	if got, want := d.RootMeanSquares(), []float64{math.Sqrt(4.5), math.Sqrt(8), 0}; !near(got, want, 1e-15) {
		t.Errorf("root mean squares %v, want %v", got, want)
	}
	f, err := linalg.Factor(t.Context(), linalg.Scaled, d)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{math.Sqrt(8), math.Sqrt(8), 0}; !near(f.Sigma, want, 1e-14) {
		t.Errorf("σ %v, want %v", f.Sigma, want)
	}
	if f.Total != 8 || len(f.Rows) != 3 || schema.CompareSparseRows(f.Rows[0], rows[0]) != 0 {
		t.Errorf("%d rows, the first %v: not those of D", f.Total, f.Rows[0])
	}
}

// TestScaledCorrelated has the rows (1, 10) and (1, 0), n = 2: rms 1 and √50, so D' has the rows (1, √2) and
// (1, 0), D'ᵀD' = [2 √2; √2 2], σ² = 2 ± √2 with the directions (1, ±1)/√2. Scaled back the first is
// (1, 1/√50) up to its length √1.02.
func TestScaledCorrelated(t *testing.T) {
	d := linalg.Dataset{Dims: 2, Rows: schema.NewSparseRows(2, []float64{1, 0, 1, 10}), Counts: []int64{1, 1}}
	f, err := linalg.Factor(t.Context(), linalg.Scaled, d)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{math.Sqrt(2 + math.Sqrt2), math.Sqrt(2 - math.Sqrt2)}; !near(f.Sigma, want, 1e-14) {
		t.Errorf("σ %v, want %v", f.Sigma, want)
	}
	length := math.Sqrt(1.02)
	for _, basis := range []schema.Basis{schema.RightSingular, schema.RowsOfV} {
		spec := schema.Spec{Basis: basis, FeatureScale: schema.RMS}
		got := purposesAbove(spec, 0, f)
		if len(got) != 4 || !near(got[0].Vector, []float64{1 / length, 1 / math.Sqrt(50) / length}, 1e-14) ||
			!near(got[1].Vector, []float64{-1 / length, -1 / math.Sqrt(50) / length}, 1e-14) {
			t.Errorf("%s: purposes %v", basis, got)
		}
	}
}

// TestScaledUnchanged: the direction of a feature that never changes, of σ 0, stays as it is.
func TestScaledUnchanged(t *testing.T) {
	d := linalg.Dataset{Dims: 2, Rows: schema.NewSparseRows(2, []float64{2, 0}), Counts: []int64{4}}
	f, err := linalg.Factor(t.Context(), linalg.Scaled, d)
	if err != nil {
		t.Fatal(err)
	}
	directions := selection.NewDirections(schema.Spec{Basis: schema.RightSingular, FeatureScale: schema.RMS}, 0, f)
	if !near(f.Sigma, []float64{2, 0}, 1e-15) || !near(directions.Vector(0), []float64{1, 0}, 1e-15) ||
		!near(directions.Vector(1), []float64{0, 1}, 0) {
		t.Errorf("σ %v, directions %v and %v", f.Sigma, directions.Vector(0), directions.Vector(1))
	}
}

// TestScaledFactors: Σ, V and the rewards of the rows of D' are gonum's, at any scale of the features.
func TestScaledFactors(t *testing.T) {
	for _, units := range [][]float64{{1, 1, 1, 1}, {1e-160, 1e150, 1, 3}, {1e-300, 1e307, 1e-3, 1}} {
		stream := rng.NewStream(1, 2, "test")
		var flat []float64
		for range 40 {
			for _, u := range units {
				flat = append(flat, float64(stream.Below(7)-3)*u)
			}
		}
		rows := schema.NewSparseRows(len(units), flat)
		counts := make([]int64, len(rows))
		for i := range counts {
			counts[i] = int64(i%3 + 1)
		}
		d := linalg.Dataset{Dims: len(units), Rows: rows, Counts: counts}
		f, err := linalg.Factor(t.Context(), linalg.Scaled, d)
		if err != nil {
			t.Fatal(err)
		}
		scaled := d.Scaled()
		gram := mat.NewSymDense(d.Dims, nil)
		for i, row := range scaled.Rows {
			gram.SymRankOne(gram, float64(counts[i]), mat.NewVecDense(d.Dims, row.Dense(d.Dims)))
		}
		for i := range d.Dims {
			if got := gram.At(i, i); math.Abs(got/float64(f.Total)-1) > 1e-12 {
				t.Errorf("%v: the mean square of feature %d is %v of %d", units, i, got, f.Total)
			}
		}
		v := mat.NewDense(d.Dims, d.Dims, f.V)
		var product mat.Dense
		product.Product(v.T(), gram, v)
		for i := range d.Dims {
			for j := range d.Dims {
				want := 0.0
				if i == j {
					want = f.Sigma[i] * f.Sigma[i]
				}
				if math.Abs(product.At(i, j)-want) > 1e-10*float64(f.Total) {
					t.Errorf("%v: VᵀD'ᵀD'V[%d,%d] = %v, want %v", units, i, j, product.At(i, j), want)
				}
			}
		}
		for _, p := range purposesAbove(schema.Spec{Basis: schema.RightSingular, FeatureScale: schema.RMS}, 0, f) {
			checkZeros(t, p)
			if length := mat.Norm(mat.NewVecDense(d.Dims, p.Vector), 2); math.Abs(length-1) > 1e-12 {
				t.Errorf("%v: purpose %d%+d has length %v", units, p.J, p.Sign, length)
			}
		}
	}
}

func near(got, want []float64, tolerance float64) bool {
	for i := range want {
		if len(got) != len(want) || math.Abs(got[i]-want[i]) > tolerance {
			return false
		}
	}
	return true
}

// TestScaledLeavesOutVanishingChanges: changes too small for a root mean square are as if there were
// none, and no number overflows.
func TestScaledLeavesOutVanishingChanges(t *testing.T) {
	d := linalg.Dataset{Dims: 2, Counts: []int64{1000, 1}, Rows: []schema.SparseRow{
		{{Feature: 1, Value: 1}}, {{Feature: 0, Value: math.SmallestNonzeroFloat64}, {Feature: 1, Value: 1}}}}
	f, err := linalg.Factor(t.Context(), linalg.Reduced, d.Scaled())
	if err != nil || math.Abs(f.Sigma[0]-math.Sqrt(1001)) > 1e-9 || f.Sigma[1] != 0 {
		t.Errorf("%v (%v)", f.Sigma, err)
	}
}
