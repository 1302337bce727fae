package pod

import (
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
func leftSingularRows(w *watch, d Dataset, sigma []float64, v [][]float64) ([]float64, error) {
	u := make([]float64, len(d.Rows)*d.Dims)
	for i, row := range d.Rows {
		if err := w.advance(float64(len(row)) * float64(d.Dims)); err != nil {
			return nil, err
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
