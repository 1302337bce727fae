package linalg

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// TestLowRank factors data of far more features than rank, in which all but rounding noise is
// gone after a few reflections: every number stays finite, ΣVᵀV is that of DᵀD, and the σ beyond
// the rank are 0 or noise.
func TestLowRank(t *testing.T) {
	for _, how := range []Factoring{Gram, Reduced} {
		t.Run(how.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				dims, rank := rapid.IntRange(2, 60).Draw(t, "dims"), rapid.IntRange(1, 3).Draw(t, "rank")
				basis := make([][]int, rank)
				for i := range basis {
					basis[i] = rapid.SliceOfN(rapid.IntRange(-2, 2), dims, dims).Draw(t, "row")
				}
				d := Dataset{Dims: dims}
				for range rapid.IntRange(rank, dims+10).Draw(t, "rows") {
					dense := make([]float64, dims)
					for _, b := range basis {
						factor := rapid.IntRange(-3, 3).Draw(t, "factor")
						for j, x := range b {
							dense[j] += float64(factor * x)
						}
					}
					d.Rows, d.Counts = append(d.Rows, schema.NewSparseRow(dense)), append(d.Counts, 1)
				}
				f, err := Factor(context.Background(), how, d)
				if err != nil {
					t.Fatal(err)
				}
				checkGramOf(t, d, f)
				for j, sigma := range f.Sigma {
					if j >= rank && sigma > 1e-12*f.Sigma[0] || how == Gram && j >= rank && sigma != 0 {
						t.Fatalf("σ%d is %v beyond the rank %d, after %v", j+1, sigma, rank, f.Sigma[:rank])
					}
				}
			})
		})
	}
}

// checkGramOf compares VΣ²Vᵀ with DᵀD.
func checkGramOf(t *rapid.T, d Dataset, f schema.Factors) {
	gram := make([]float64, d.Dims*d.Dims)
	largest := 0.0
	for _, row := range d.Rows {
		for _, a := range row {
			for _, b := range row {
				at := int(a.Feature)*d.Dims + int(b.Feature)
				gram[at] += a.Value * b.Value
				largest = max(largest, math.Abs(gram[at]))
			}
		}
	}
	for i := range d.Dims {
		for j := range d.Dims {
			sum := 0.0
			for k, sigma := range f.Sigma {
				sum += f.V[i*d.Dims+k] * sigma * sigma * f.V[j*d.Dims+k]
			}
			if math.Abs(sum-gram[i*d.Dims+j]) > 1e-10*largest || math.IsNaN(sum) {
				t.Fatalf("entry %d, %d of VΣ²Vᵀ is %v, of DᵀD %v", i, j, sum, gram[i*d.Dims+j])
			}
		}
	}
}
