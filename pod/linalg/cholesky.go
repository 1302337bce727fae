package linalg

import "math"

// FactorCholesky returns the root R of a positive semi-definite matrix M, M = RᵀR, by
// Cholesky factorisation with complete pivoting (Higham, "Analysis of the Cholesky
// decomposition of a semi-definite matrix", 1990). R has one row for each dimension of M's
// numerical rank. It overwrites m.
func FactorCholesky(m [][]float64) (root [][]float64) {
	n := len(m)
	remaining := make([]int, n) // columns that have not been pivots
	limit := 0.0
	for i := range remaining {
		remaining[i] = i
		limit = max(limit, m[i][i])
	}
	limit = float64(float64(n)*Epsilon) * limit
	for len(remaining) > 0 {
		at := 0
		for i, column := range remaining {
			if m[column][column] > m[remaining[at]][remaining[at]] {
				at = i
			}
		}
		pivot := remaining[at]
		if m[pivot][pivot] <= limit {
			return root
		}
		remaining = append(remaining[:at], remaining[at+1:]...)
		root = append(root, eliminatePivot(m, pivot, remaining))
	}
	return root
}

// eliminatePivot returns the row of R for a pivot and subtracts its contribution from the
// remaining columns of m.
func eliminatePivot(m [][]float64, pivot int, remaining []int) []float64 {
	row := make([]float64, len(m))
	row[pivot] = math.Sqrt(m[pivot][pivot])
	for _, j := range remaining {
		row[j] = m[pivot][j] / row[pivot]
	}
	for _, i := range remaining {
		if row[i] == 0 {
			continue
		}
		for _, j := range remaining {
			m[i][j] -= float64(row[i] * row[j])
		}
	}
	return row
}
