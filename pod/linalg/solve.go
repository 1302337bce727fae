package linalg

import (
	"context"
	"math"
)

// singularTolerance is the share of a column's size below which a pivot counts as 0: rounding leaves up to that much of
// a column that is linearly dependent on earlier ones.
const singularTolerance = 1e-10

// SolveGauss solves Ax = b by Gaussian elimination with partial pivoting, the lowest row
// on ties. It destroys a and b. size holds the scale of each column; ok is false if a
// pivot is negligible against it. Rows with a zero below the pivot, of which sparse
// systems have many, cost nothing.
func SolveGauss(ctx context.Context, a [][]float64, b, size []float64) (x []float64, ok bool, err error) {
	n := len(a)
	for k := range n {
		if k%16 == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		pivot := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[pivot][k]) {
				pivot = i
			}
		}
		a[k], a[pivot], b[k], b[pivot] = a[pivot], a[k], b[pivot], b[k]
		if !(math.Abs(a[k][k]) > float64(singularTolerance*size[k])) {
			return nil, false, nil
		}
		for i := k + 1; i < n; i++ {
			if a[i][k] != 0 {
				b[i] -= float64(eliminate(a[i][k:], a[k][k:]) * b[k])
			}
		}
	}
	x = make([]float64, n)
	for k := n - 1; k >= 0; k-- { // back substitution
		sum := b[k]
		for j := k + 1; j < n; j++ {
			sum -= float64(a[k][j] * x[j])
		}
		x[k] = sum / a[k][k]
	}
	return x, true, nil
}

// eliminate subtracts from a row the multiple of the pivot row that makes its first entry
// 0, and returns the factor.
func eliminate(row, pivot []float64) (factor float64) {
	factor = row[0] / pivot[0]
	row[0] = 0
	for j := 1; j < len(row); j++ {
		row[j] -= float64(factor * pivot[j])
	}
	return factor
}

// IndependentColumns reports which columns of a Gram matrix are linearly independent of
// those before them. It destroys g.
func IndependentColumns(g [][]float64) []bool {
	keeps, size := make([]bool, len(g)), make([]float64, len(g))
	for i := range g {
		size[i] = g[i][i]
	}
	for k := range g {
		keeps[k] = g[k][k] > float64(singularTolerance*size[k])
		if !keeps[k] {
			continue
		}
		for i := k + 1; i < len(g); i++ {
			if g[i][k] != 0 {
				eliminate(g[i][k:], g[k][k:])
			}
		}
	}
	return keeps
}

// NewSquare returns an n×n matrix of zeros.
func NewSquare(n int) [][]float64 { return newMatrix(n, n) }

// newMatrix returns a matrix of zeros, by rows.
func newMatrix(height, width int) [][]float64 {
	rows, all := make([][]float64, height), make([]float64, height*width)
	for i := range rows {
		rows[i] = all[i*width : (i+1)*width]
	}
	return rows
}

// SolveDominant solves AX = B in place for the n×n matrix A, given by rows [A | B], and
// leaves X where B was. A must be diagonally dominant by rows, as I − P is for a
// terminating chain; then no pivoting is needed. Zeros below the pivot cost nothing, and
// there are many if neighbouring states have close numbers.
func SolveDominant(rows [][]float64) {
	// No library is used: the results are recorded and must have the same bits on every machine,
	// which a BLAS does not promise. gonum's LU takes 3.5 times as long for the 399 states of
	// an open 20×20 map.
	n := len(rows)
	for k, pivot := range rows {
		for _, row := range rows[k+1:] {
			if row[k] != 0 {
				eliminate(row[k:], pivot[k:])
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		row := rows[k]
		for j := k + 1; j < n; j++ {
			if row[j] == 0 {
				continue
			}
			for c := n; c < len(row); c++ {
				row[c] -= float64(row[j] * rows[j][c])
			}
		}
		for c := n; c < len(row); c++ {
			row[c] /= row[k]
		}
	}
}
