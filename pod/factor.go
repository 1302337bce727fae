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
		columns[j] = make([]float64, len(d.Rows))
	}
	for i, row := range d.Rows {
		weight := math.Sqrt(float64(d.Counts[i]))
		for _, e := range row {
			columns[e.Feature][i] = float64(weight * (e.Value / scale))
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

// powerOfTwo returns a power of two near the largest magnitude in rows, or 1 if all are
// 0. Dividing and multiplying by it changes no bit and keeps squares from overflowing.
func powerOfTwo(rows []schema.SparseRow) float64 {
	largest := largestOf(rows)
	if largest == 0 {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, min(max(exponent, -1000), 1000))
}

// largestOf returns the largest magnitude in rows.
func largestOf(rows []schema.SparseRow) float64 {
	largest := 0.0
	for _, row := range rows {
		for _, e := range row {
			largest = max(largest, math.Abs(e.Value))
		}
	}
	return largest
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
