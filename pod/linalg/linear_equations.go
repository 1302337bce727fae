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

// A linearOperator is a matrix, given by its products with vectors.
type linearOperator interface {
	// Multiply sets out to Ax, multiplyTransposed to Aᵀx. Neither changes x.
	Multiply(ctx context.Context, x, out []float64) error
	MultiplyTransposed(ctx context.Context, x, out []float64) error
}

const (
	// residualTolerance is the part of b below which the residual b − Ax counts as 0.
	residualTolerance = 1e-13
	// slowFall is the factor by which the residual must fall within as many steps as there are unknowns, plus
	// [stepsMore]; otherwise the system counts as singular.
	slowFall = 0.5
	// stepsMore is the number of additional steps, which matter if unknowns are few.
	stepsMore = 1000
)

// SolveGradients solves a square system Ax = b by conjugate gradients on its normal equations
// AᵀAx = Aᵀb, in the form of Hestenes & Stiefel (Journal of Research of the National Bureau of Standards
// 49, 1952, §10), which is CGLS in Björck, Numerical Methods for Least Squares Problems, 1996, §7.4, and
// CGNR in Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., 2003, §8.3. The residual falls with
// every step, whatever the eigenvalues of A. All sums have a fixed order. ok is false if the residual does not
// become 0 within rounding: there is no solution, or A is too nearly singular. b is scaled by a power of two, which
// changes no bit of x, so that its squares neither overflow nor vanish.
func SolveGradients(ctx context.Context, a linearOperator, b []float64) (x []float64, ok bool, err error) {
	n := len(b)
	x, r, s, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	scale := powerOfTwoNear(LargestMagnitude(b))
	for i, y := range b {
		r[i] = y / scale
	}
	if err := a.MultiplyTransposed(ctx, r, s); err != nil {
		return nil, false, err
	}
	p, sSquared := append([]float64(nil), s...), Dot(s, s)
	residual, before := Norm(r), math.Inf(1)
	limit := float64(residualTolerance * residual)
	for step := 0; residual > limit; step++ {
		if step%(n+stepsMore) == 0 {
			if !(residual <= float64(slowFall*before)) {
				return nil, false, nil
			}
			before = residual
		}
		if err := a.Multiply(ctx, p, q); err != nil {
			return nil, false, err
		}
		qSquared := Dot(q, q)
		if !(qSquared > 0) || math.IsInf(sSquared, 0) {
			return nil, false, nil
		}
		alpha := sSquared / qSquared
		subtractMultiple(x, p, -alpha)
		subtractMultiple(r, q, alpha)
		if err := a.MultiplyTransposed(ctx, r, s); err != nil {
			return nil, false, err
		}
		lastSquared := sSquared
		sSquared, residual = Dot(s, s), Norm(r)
		beta := sSquared / lastSquared
		for i := range p {
			p[i] = s[i] + float64(beta*p[i])
		}
	}
	for i := range x {
		x[i] *= scale
	}
	return x, residual <= limit && !math.IsInf(limit, 0), nil
}
