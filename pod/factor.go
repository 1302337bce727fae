package pod

import (
	"context"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A Factoring is a way to compute the singular value decomposition of a dataset. The spec alone
// decides which one a run takes.
type Factoring int

const (
	// Jacobi is that of numerics version 1: one-sided Jacobi on the distinct rows.
	Jacobi Factoring = iota
	// Gram takes the eigenvectors of DᵀD, which is exact where features are whole numbers.
	Gram
	// Reduced reduces the rows of real numbers to as many as there are features, and takes
	// one-sided Jacobi.
	Reduced
)

func (how Factoring) String() string {
	return [...]string{"Jacobi", "Gram", "Reduced"}[how]
}

// Factor returns the singular value decomposition of D. It decomposes the distinct rows of
// D, each weighted by the square root of its count: they have the Σ and V of D, at a cost
// that does not grow with the number of transitions. Only [Jacobi] computes U; of the others it
// is DVΣ⁺.
func Factor(ctx context.Context, how Factoring, d Dataset) (schema.Factors, error) {
	sigma, v, err := how.decompose(ctx, d)
	if err != nil {
		return schema.Factors{}, err
	}
	f := schema.Factors{Dims: d.Dims, Rows: d.Rows, Counts: d.Counts, Sigma: sigma}
	if how != Jacobi {
		f.Rows = withoutZeros(d.Rows)
	}
	for _, c := range d.Counts {
		f.Total += c
	}
	f.V = rowMajor(v)
	if how == Jacobi {
		f.U, err = leftSingularRows(ctx, d, sigma, v)
	}
	return f, err
}

// withoutZeros returns rows without entries of −0.
func withoutZeros(rows []schema.SparseRow) []schema.SparseRow {
	rows = slices.Clone(rows)
	isZero := func(e schema.RowEntry) bool { return e.Value == 0 }
	for i, row := range rows {
		if slices.ContainsFunc(row, isZero) {
			rows[i] = slices.DeleteFunc(slices.Clone(row), isZero)
		}
	}
	return rows
}

// decompose returns σ and the columns of V.
func (how Factoring) decompose(ctx context.Context, d Dataset) (sigma []float64, v [][]float64, err error) {
	switch how {
	case Gram:
		return factorGram(ctx, d)
	case Reduced:
		return factorReduced(ctx, d)
	}
	scale := powerOfTwo(d.Rows)
	sigma, v, err = svd(ctx, weightedColumns(d, 0, len(d.Rows), scale))
	for j, s := range sigma {
		sigma[j] = float64(s * scale)
	}
	return sigma, v, err
}

// dotSparse returns the dot product of a row and a vector, summed in feature order.
func dotSparse(row schema.SparseRow, v []float64) float64 {
	sum := 0.0
	for _, e := range row {
		sum += float64(e.Value * v[e.Feature])
	}
	return sum
}

func rowMajor(columns [][]float64) []float64 {
	n := len(columns)
	m := make([]float64, n*n)
	for j, col := range columns {
		for i, x := range col {
			m[i*n+j] = x
		}
	}
	return m
}

// leftSingularRows returns U = D V Σ⁺ for the distinct rows, u×dims, row-major.
func leftSingularRows(ctx context.Context, d Dataset, sigma []float64, v [][]float64) ([]float64, error) {
	u, slice := make([]float64, len(d.Rows)*d.Dims), max(1, 1<<24/max(1, d.Dims*d.Dims))
	for i, row := range d.Rows {
		if i%slice == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for j, s := range sigma {
			if s > 0 {
				u[i*d.Dims+j] = dotSparse(row, v[j]) / s
			}
		}
	}
	return u, nil
}

// LeftSingularRow returns the row of DVΣ⁺ that belongs to a row of D.
func LeftSingularRow(f schema.Factors, row schema.SparseRow) []float64 {
	u := make([]float64, f.Dims)
	for _, e := range row {
		for j, x := range f.V[int(e.Feature)*f.Dims : (int(e.Feature)+1)*f.Dims] {
			u[j] += float64(e.Value * x)
		}
	}
	for j, s := range f.Sigma {
		if s > 0 {
			u[j] /= s
		} else {
			u[j] = 0
		}
	}
	return u
}
