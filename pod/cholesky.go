package pod

import "math"

// factorCholesky returns the root R of a positive semi-definite matrix M, M = RᵀR, by
// Cholesky factorisation with complete pivoting (Higham, "Analysis of the Cholesky
// decomposition of a semi-definite matrix", 1990). R has one row for each dimension of M's
// numerical rank. It overwrites m.
func factorCholesky(m [][]float64) (root [][]float64) {
	n := len(m)
	left := make([]int, n) // columns that are no pivot yet
	limit := 0.0
	for i := range left {
		left[i] = i
		limit = max(limit, m[i][i])
	}
	limit = float64(float64(n)*epsilon) * limit
	for len(left) > 0 {
		at := 0
		for i, column := range left {
			if m[column][column] > m[left[at]][left[at]] {
				at = i
			}
		}
		pivot := left[at]
		if m[pivot][pivot] <= limit {
			return root
		}
		left = append(left[:at], left[at+1:]...)
		root = append(root, eliminatePivot(m, pivot, left))
	}
	return root
}

// eliminatePivot returns the row of R for a pivot and subtracts its contribution from the
// remaining columns of m.
func eliminatePivot(m [][]float64, pivot int, left []int) []float64 {
	row := make([]float64, len(m))
	row[pivot] = math.Sqrt(m[pivot][pivot])
	for _, j := range left {
		row[j] = m[pivot][j] / row[pivot]
	}
	for _, i := range left {
		if row[i] == 0 {
			continue
		}
		for _, j := range left {
			m[i][j] -= float64(row[i] * row[j])
		}
	}
	return row
}
