package selection_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// TestSelect has V with rows (1 2 3), (4 0 6), (7 8 9), which is no basis and
// need not be: only where an entry comes from matters.
func TestSelect(t *testing.T) {
	f := schema.Factors{Dims: 3, Sigma: []float64{3, 1, 0}, V: []float64{1, 2, 3, 4, 0, 6, 7, 8, 9}}
	full := f
	full.Sigma = []float64{3, 1, 0.5}
	p := func(j, sign int, sigma float64, vector ...float64) schema.Purpose {
		return schema.Purpose{J: j, Sign: sign, Sigma: sigma, Vector: vector}
	}
	tests := []struct {
		name    string
		factors schema.Factors
		basis   schema.Basis
		kappa   float64
		want    []schema.Purpose
	}{
		{"none", f, schema.RightSingular, 3, nil},
		{"strictly over the threshold", f, schema.RightSingular, 1,
			[]schema.Purpose{p(1, 1, 3, 1, 4, 7), p(1, -1, 3, -1, -4, -7)}},
		{"just under it", f, schema.RightSingular, math.Nextafter(1, 0),
			[]schema.Purpose{p(1, 1, 3, 1, 4, 7), p(1, -1, 3, -1, -4, -7), p(2, 1, 1, 2, 0, 8),
				p(2, -1, 1, -2, 0, -8)}},
		{"never σ = 0", f, schema.RightSingular, 0,
			[]schema.Purpose{p(1, 1, 3, 1, 4, 7), p(1, -1, 3, -1, -4, -7), p(2, 1, 1, 2, 0, 8),
				p(2, -1, 1, -2, 0, -8)}},
		{"rows without the columns of σ = 0", f, schema.RowsOfV, 0,
			[]schema.Purpose{p(1, 1, 3, 1, 2, 0), p(1, -1, 3, -1, -2, 0), p(2, 1, 1, 4, 0, 0), p(2, -1, 1, -4, 0, 0)}},
		{"rows", full, schema.RowsOfV, 1,
			[]schema.Purpose{p(1, 1, 3, 1, 2, 3), p(1, -1, 3, -1, -2, -3)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := purposesAbove(schema.Spec{Basis: tt.basis, Kappa: tt.kappa}, 0, tt.factors)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("purposes (-want +got):\n%s", diff)
			}
			for _, p := range got {
				checkZeros(t, p)
			}
		})
	}
}

// TestSignsOfAPair: the two signs of covering's first direction are the states in which it is largest and smallest;
// those of another direction are opposite, as ever. Columns are features 4, 7 and 9 of 12.
func TestSignsOfAPair(t *testing.T) {
	f := schema.Factors{Dims: 3, Columns: []int32{4, 7, 9}, AllFeatures: 12, Sigma: []float64{3, 2, 0},
		V: []float64{0.1, 1, 0, -0.9, 0, 0, 0.4, 0, 1}}
	directions := selection.NewDirections(schema.Spec{Basis: schema.RightSingular, Method: schema.Covering}, 0, f)
	for _, c := range []struct {
		j, sign, feature int
		value            float64
	}{{0, 1, 9, 1}, {0, -1, 7, 1}, {1, 1, 4, 1}, {1, -1, 4, -1}} {
		want := make([]float64, 12)
		want[c.feature] = c.value
		if got := directions.Signed(c.j, c.sign); !cmp.Equal(got, want) {
			t.Errorf("direction %d, sign %d: %v, want %v", c.j, c.sign, got, want)
		}
	}
}

func checkZeros(t *testing.T, p schema.Purpose) {
	t.Helper()
	for i, x := range p.Vector {
		if x == 0 && math.Signbit(x) {
			t.Errorf("feature %d of purpose %d%+d is −0", i, p.J, p.Sign)
		}
	}
}

// TestSelectOfWalks: signs are opposite, no entry is −0, and a basis of rows
// differs from one of columns.
func TestSelectOfWalks(t *testing.T) {
	for seed := range uint64(100) {
		f, err := linalg.Factor(context.Background(), linalg.Reduced, podtest.Counted(9, podtest.Walked(seed, 12, 3, 1000)))
		if err != nil {
			t.Fatal(err)
		}
		columns := purposesAbove(schema.Spec{Basis: schema.RightSingular, Kappa: 1}, 0, f)
		rows := purposesAbove(schema.Spec{Basis: schema.RowsOfV, Kappa: 1}, 0, f)
		if len(columns) == 0 || len(columns) != len(rows) || len(columns)%2 != 0 {
			t.Fatalf("seed %d: %d right singular vectors and %d rows", seed, len(columns), len(rows))
		}
		if cmp.Equal(columns, rows) {
			t.Errorf("seed %d: both bases are the same", seed)
		}
		for i := 0; i < len(columns); i += 2 {
			checkPair(t, columns[i], columns[i+1], 1)
			checkPair(t, rows[i], rows[i+1], 1)
			checkColumn(t, f, columns[i])
		}
	}
}

// checkPair: − is the opposite of +, with σ over κ.
func checkPair(t *testing.T, plus, minus schema.Purpose, kappa float64) {
	t.Helper()
	if plus.J != minus.J || plus.Sign != 1 || minus.Sign != -1 || plus.Sigma != minus.Sigma || !(plus.Sigma > kappa) {
		t.Errorf("purposes %+v and %+v", plus, minus)
	}
	for i := range plus.Vector {
		if plus.Vector[i] != -minus.Vector[i] {
			t.Errorf("feature %d of purpose %d: %v and %v", i, plus.J, plus.Vector[i], minus.Vector[i])
		}
	}
	checkZeros(t, plus)
	checkZeros(t, minus)
}

// checkColumn: DᵀD e = σ² e, which is true of right singular vectors alone.
func checkColumn(t *testing.T, f schema.Factors, p schema.Purpose) {
	t.Helper()
	product := make([]float64, f.Dims)
	for i, c := range f.Counts {
		dot := 0.0
		for k, x := range f.Row(i) {
			dot += x * p.Vector[k]
		}
		for k, x := range f.Row(i) {
			product[k] += float64(c) * dot * x
		}
	}
	for k, x := range product {
		if want := p.Sigma * p.Sigma * p.Vector[k]; math.Abs(x-want) > 1e-10*f.Sigma[0]*f.Sigma[0] {
			t.Errorf("(DᵀD e)[%d] = %v, want %v", k, x, want)
		}
	}
}

// purposesAbove returns the purposes with σ > κ of iteration k, with their vectors.
func purposesAbove(spec schema.Spec, k int, f schema.Factors) []schema.Purpose {
	return selection.NewDirections(spec, k, f).WithVectors(selection.SignedAbove(spec, f))
}
