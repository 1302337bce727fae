package why

import (
	"math"

	"github.com/podtrack/podtrack/schema"
)

// certifyTolerance bounds the error that rounding causes in the equations of [certify], relative to the largest σ².
const certifyTolerance = 1e-9

// certify reports whether Σ, V and U are singular values and vectors of the factored rows, to rounding:
// DᵀDv = σ²v and u = Dv/σ for every direction with σ > 0, the lengths of V's columns are 1, Σσ² is the
// sum of the squares of D, and the directions of the purposes are orthogonal to all others. That
// takes much less time than computing them again. Of partial factors Σσ² says nothing, so that a larger σ may be
// missing; if D is centred, the entries of each direction must sum to 0, since D is then that of its rows.
func certify(f schema.Factors, rows []schema.SparseRow, purposes []schema.Purpose) bool {
	unit := 0.0 // the largest σ², or an entry's square
	for _, s := range f.Sigma {
		unit = max(unit, s*s)
	}
	sum := 0.0
	for i, c := range f.Counts {
		for _, e := range rows[i] {
			sum += float64(c) * e.Value * e.Value
		}
	}
	for j, s := range f.Sigma {
		sum -= s * s
		if !certifyColumn(f, rows, j, unit) {
			return false
		}
	}
	complete := math.Abs(sum) <= certifyTolerance*float64(f.Dims)*max(unit, math.SmallestNonzeroFloat64)
	return (complete || f.IsPartial()) && orthogonal(f, purposes)
}

// certifyColumn reports whether column j of V has length 1 and is a direction of the rows.
func certifyColumn(f schema.Factors, rows []schema.SparseRow, j int, unit float64) bool {
	length, total, sigma, k := 0.0, 0.0, f.Sigma[j], f.Directions()
	for i := range f.Dims {
		x := f.V[i*k+j]
		length += x * x
		total += x
	}
	isConstant := f.Centred && sigma > 0 && math.Abs(total) > certifyTolerance*math.Sqrt(float64(f.Dims))
	if isConstant || math.Abs(length-1) > certifyTolerance {
		return false
	}
	residual := make([]float64, f.Dims)
	for i, row := range rows {
		p := 0.0
		for _, e := range row {
			p += e.Value * f.V[int(e.Feature)*k+j]
		}
		for _, e := range row {
			residual[e.Feature] += float64(f.Counts[i]) * p * e.Value
		}
	}
	for i, x := range residual {
		if math.Abs(x-sigma*sigma*f.V[i*k+j]) > certifyTolerance*unit {
			return false
		}
	}
	return true
}

// orthogonal reports whether the directions of purposes are orthogonal to all other columns of V.
func orthogonal(f schema.Factors, purposes []schema.Purpose) bool {
	k := f.Directions()
	for _, p := range schema.Unsigned(purposes) {
		if p.J > k {
			continue
		}
		product := make([]float64, k)
		for i := range f.Dims {
			x, row := f.V[i*k+p.J-1], f.V[i*k:(i+1)*k]
			for j, y := range row {
				product[j] += x * y
			}
		}
		for j, x := range product {
			if j != p.J-1 && math.Abs(x) > certifyTolerance {
				return false
			}
		}
	}
	return true
}
