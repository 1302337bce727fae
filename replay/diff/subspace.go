package diff

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/podtrack/podtrack/pod/selection"
)

// minResidual is the fraction of a vector's length that must remain after projection onto the
// others for it to count as independent.
const minResidual = 1e-9

// orthonormalBasis returns an orthonormal basis of the span of the images (Gram and Schmidt,
// applied twice).
func orthonormalBasis(images [][]float64) [][]float64 {
	var basis [][]float64
	for _, image := range images {
		x := append([]float64(nil), image...)
		for range 2 {
			for _, y := range basis {
				floats.AddScaled(x, -floats.Dot(x, y), y)
			}
		}
		if length := floats.Norm(x, 2); length > minResidual {
			floats.Scale(1/length, x)
			basis = append(basis, x)
		}
	}
	return basis
}

// principalCosines returns the cosines of the principal angles between two spans, largest first
// (Björck and Golub, Mathematics of Computation 27, 1973).
func principalCosines(a, b [][]float64) []float64 {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	product := mat.NewDense(len(a), len(b), nil)
	for i, x := range a {
		for j, y := range b {
			product.Set(i, j, floats.Dot(x, y))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(product, mat.SVDNone) {
		return nil
	}
	values := svd.Values(nil)
	for i, v := range values {
		values[i] = selection.SnapCosine(v)
	}
	return values
}

// subspaceOverlap returns ‖P_A P_B‖²_F / m − m/d for two spans of dimension m in d dimensions:
// about 0 by chance, and at most 1 − m/d, for equal spans. For spans of dimensions m ≤ n it is
// ‖P_A P_B‖²_F / m − n/d, at most 1 − n/d. Both results are nil if a span is empty.
func subspaceOverlap(a, b [][]float64, dims int) (value, most *float64) {
	m, n := min(len(a), len(b)), max(len(a), len(b))
	if m == 0 {
		return nil, nil
	}
	sum := 0.0
	for _, x := range a {
		for _, y := range b {
			c := floats.Dot(x, y)
			sum += c * c
		}
	}
	chance := float64(n) / float64(dims)
	o, limit := sum/float64(m)-chance, 1-chance
	return &o, &limit
}
