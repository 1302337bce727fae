package linalg

import (
	"context"
	"math"
)

// FactorCholesky returns the root R of a positive semi-definite matrix M, M = RᵀR, by
// Cholesky factorisation with complete pivoting (Higham, "Analysis of the Cholesky
// decomposition of a semi-definite matrix", 1990). R has one row for each dimension of M's
// numerical rank. It overwrites m. The error is that of ctx.
func FactorCholesky(ctx context.Context, m [][]float64) (root [][]float64, err error) {
	n := len(m)
	remaining := make([]int, n) // columns that have not been pivots
	limit := 0.0
	for i := range remaining {
		remaining[i] = i
		limit = max(limit, m[i][i])
	}
	limit = float64(float64(n)*Epsilon) * limit
	for len(remaining) > 0 && ctx.Err() == nil {
		at := 0
		for i, column := range remaining {
			if m[column][column] > m[remaining[at]][remaining[at]] {
				at = i
			}
		}
		pivot := remaining[at]
		if m[pivot][pivot] <= limit {
			break
		}
		remaining = append(remaining[:at], remaining[at+1:]...)
		root = append(root, eliminatePivot(m, pivot, remaining))
	}
	return root, ctx.Err()
}

// eliminatePivot returns the row of R for a pivot and subtracts its contribution from the
// remaining columns of m. Entries that are 0 contribute nothing, and cost nothing.
func eliminatePivot(m [][]float64, pivot int, remaining []int) []float64 {
	row := make([]float64, len(m))
	row[pivot] = math.Sqrt(m[pivot][pivot])
	filled := make([]int, 0, len(remaining))
	for _, j := range remaining {
		if row[j] = m[pivot][j] / row[pivot]; row[j] != 0 {
			filled = append(filled, j)
		}
	}
	for _, i := range filled {
		for _, j := range filled {
			m[i][j] -= float64(row[i] * row[j])
		}
	}
	return row
}
