package pod

import (
	"context"
	"math"

	"github.com/podtrack/podtrack/schema"
)

// Factor returns the singular value decomposition of D. It decomposes the distinct rows of
// D, each weighted by the square root of its count: they have the Σ and V of D, at a cost
// that does not grow with the number of transitions.
func Factor(ctx context.Context, d Dataset) (schema.Factors, error) {
	scale := powerOfTwo(d.Rows)
	columns := make([][]float64, d.Dims)
	for j := range columns {
		columns[j] = make([]float64, len(d.Counts))
		for i, c := range d.Counts {
			columns[j][i] = float64(math.Sqrt(float64(c)) * (d.Rows[i*d.Dims+j] / scale))
		}
	}
	sigma, v, err := svd(ctx, columns)
	if err != nil {
		return schema.Factors{}, err
	}
	for j, s := range sigma {
		sigma[j] = float64(s * scale)
	}
	f := schema.Factors{Dims: d.Dims, Rows: d.Rows, Counts: d.Counts, Sigma: sigma}
	for _, c := range d.Counts {
		f.Total += c
	}
	f.V = rowMajor(v)
	f.U, err = leftSingularRows(ctx, d, sigma, v)
	return f, err
}

// powerOfTwo returns a power of two near the largest magnitude among xs, or 1 if all are
// 0. Dividing and multiplying by it changes no bit and keeps squares from overflowing.
func powerOfTwo(xs []float64) float64 {
	largest := 0.0
	for _, x := range xs {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, min(max(exponent, -1000), 1000))
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
	u, slice := make([]float64, len(d.Rows)), max(1, 1<<24/max(1, d.Dims*d.Dims))
	for i := range d.Counts {
		if i%slice == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row := d.Rows[i*d.Dims : (i+1)*d.Dims]
		for j, s := range sigma {
			if s > 0 {
				u[i*d.Dims+j] = dot(row, v[j]) / s
			}
		}
	}
	return u, nil
}
