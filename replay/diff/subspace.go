package diff

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
)

// minResidual is the fraction of a vector's length that must remain after projection onto the
// others for it to count as independent.
const minResidual = 1e-9

// orthonormalBasis returns an orthonormal basis of the span of the images. The error is that of ctx.
func orthonormalBasis(ctx context.Context, images [][]float64) ([][]float64, error) {
	set := make([][]float64, len(images))
	for i, image := range images {
		set[i] = slices.Clone(image)
	}
	return orthonormalise(ctx, set, 2)
}

// projectedBlock is the number of vectors that are made orthogonal to earlier ones together, in less time than one by
// one.
const projectedBlock = 16

// orthonormalise makes each vector orthogonal to those before it, and of length 1, so many times (Gram and Schmidt). It
// returns those that are independent of the others. The error is that of ctx.
func orthonormalise(ctx context.Context, set [][]float64, times int) (basis [][]float64, err error) {
	for block := range slices.Chunk(set, projectedBlock) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for range times {
			linalg.SubtractProjections(basis, block)
			block = orthonormaliseBlock(block)
		}
		basis = append(basis, block...)
	}
	return basis, nil
}

// orthonormaliseBlock does what [orthonormalise] does, once and vector by vector.
func orthonormaliseBlock(block [][]float64) (basis [][]float64) {
	for _, x := range block {
		for _, y := range basis {
			floats.AddScaled(x, -floats.Dot(x, y), y)
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
	product := mat.NewDense(len(a), len(b), slices.Concat(linalg.Products(a, b)...))
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
	for _, row := range linalg.Products(a, b) {
		for _, c := range row {
			sum += c * c
		}
	}
	chance := float64(n) / float64(dims)
	o, limit := sum/float64(m)-chance, 1-chance
	return &o, &limit
}
