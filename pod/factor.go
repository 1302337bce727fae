package pod

import (
	"context"
	"math"

	"github.com/podtrack/podtrack/schema"
)

// Factor is the singular value decomposition of D, taken of its distinct rows,
// each weighted by the root of its count: they have the Σ and V of D, at a cost
// that does not grow with the number of transitions.
func Factor(ctx context.Context, d Dataset) (schema.Factors, error) {
	columns := make([][]float64, d.Dims)
	for j := range columns {
		columns[j] = make([]float64, len(d.Counts))
		for i, c := range d.Counts {
			columns[j][i] = float64(math.Sqrt(float64(c)) * d.Rows[i*d.Dims+j])
		}
	}
	sigma, v, err := svd(ctx, columns)
	if err != nil {
		return schema.Factors{}, err
	}
	f := schema.Factors{Dims: d.Dims, Rows: d.Rows, Counts: d.Counts, Sigma: sigma}
	for _, c := range d.Counts {
		f.Total += c
	}
	f.V = rowMajor(v)
	f.U = leftRows(d, sigma, v)
	return f, nil
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

// leftRows is U = D V Σ⁺ for the distinct rows.
func leftRows(d Dataset, sigma []float64, v [][]float64) []float64 {
	u := make([]float64, len(d.Rows))
	for i := range d.Counts {
		row := d.Rows[i*d.Dims : (i+1)*d.Dims]
		for j, s := range sigma {
			if s > 0 {
				u[i*d.Dims+j] = dot(row, v[j]) / s
			}
		}
	}
	return u
}
