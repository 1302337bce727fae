package pod

import (
	"context"
	"errors"
	"math"
	"slices"
)

// epsilon is the distance from 1 to the next float64.
const epsilon = 0x1p-52

// maxJacobiSweeps is far above the 6 sweeps that the data of random walks needs.
const maxJacobiSweeps = 64

// ErrNoConvergence reports that the singular value decomposition did not converge.
var ErrNoConvergence = errors.New("the singular value decomposition did not converge")

// jacobi is the one-sided Jacobi method (Hestenes 1958; Golub & Van Loan, 4th ed.,
// §8.6.3): it rotates pairs of columns until all are orthogonal.
type jacobi struct {
	a [][]float64 // columns of the matrix, turned into those of UΣ
	v [][]float64 // columns of V, accumulated from the identity
}

// svd replaces the columns a of a matrix by those of UΣ and returns σ, in descending
// order, with the columns of V, a complete basis. The entry of largest magnitude of each
// column of V is positive, the first one on ties. The error is [ErrNoConvergence] or that
// of ctx.
func svd(ctx context.Context, a [][]float64) (sigma []float64, v [][]float64, err error) {
	j := &jacobi{a: a, v: identity(len(a))}
	for range maxJacobiSweeps {
		j.deflate()
		rotated, err := j.sweep(ctx)
		if err != nil {
			return nil, nil, err
		}
		if !rotated {
			sigma, v = j.sortedFactors()
			return sigma, v, nil
		}
	}
	return nil, nil, ErrNoConvergence
}

func identity(n int) [][]float64 {
	v := make([][]float64, n)
	for i := range v {
		v[i] = make([]float64, n)
		v[i][i] = 1
	}
	return v
}

// deflate sets columns of rounding noise to exactly zero. Otherwise they could shrink
// towards the smallest floats, and the method might not terminate.
func (j *jacobi) deflate() {
	norms := make([]float64, len(j.a))
	for i, col := range j.a {
		norms[i] = norm(col)
	}
	if len(norms) == 0 {
		return
	}
	noise := float64(4*float64(len(j.a))*epsilon) * slices.Max(norms)
	for i, col := range j.a {
		if norms[i] <= noise {
			clear(col)
		}
	}
}

// sweep visits all pairs of columns in cyclic order and reports whether any was rotated.
func (j *jacobi) sweep(ctx context.Context) (rotated bool, err error) {
	work := 0 // numbers processed since the context was last checked
	for p := range j.a {
		for q := p + 1; q < len(j.a); q++ {
			work += len(j.a[p])
			if work >= 1<<22 || q == p+1 {
				if err := ctx.Err(); err != nil {
					return false, err
				}
				work = 0
			}
			if c, s, ok := j.rotationFor(p, q); ok {
				rotate(j.a[p], j.a[q], c, s)
				rotate(j.v[p], j.v[q], c, s)
				rotated = true
			}
		}
	}
	return rotated, nil
}

// rotationFor returns the cosine and sine of the rotation that makes columns p and q
// orthogonal; ok is false if they are orthogonal up to rounding.
func (j *jacobi) rotationFor(p, q int) (c, s float64, ok bool) {
	alpha, beta, gamma := dot(j.a[p], j.a[p]), dot(j.a[q], j.a[q]), dot(j.a[p], j.a[q])
	slack := float64(4*float64(len(j.a))) + math.Sqrt(float64(len(j.a[p])))
	if math.Abs(gamma) <= float64(slack*epsilon)*float64(math.Sqrt(alpha)*math.Sqrt(beta)) {
		return 0, 0, false
	}
	zeta := (beta - alpha) / float64(2*gamma)
	t := 1 / (math.Abs(zeta) + math.Sqrt(1+float64(zeta*zeta)))
	if zeta < 0 {
		t = -t
	}
	c = 1 / math.Sqrt(1+float64(t*t))
	return c, float64(c * t), true
}

func rotate(x, y []float64, c, s float64) {
	for i, xi := range x {
		yi := y[i]
		x[i] = float64(c*xi) - float64(s*yi)
		y[i] = float64(s*xi) + float64(c*yi)
	}
}

// sortedFactors returns σ in stable descending order and the columns of V in the same
// order, with their signs fixed.
func (j *jacobi) sortedFactors() (sigma []float64, v [][]float64) {
	norms, order := make([]float64, len(j.a)), make([]int, len(j.a))
	for i, col := range j.a {
		norms[i], order[i] = norm(col), i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case norms[x] > norms[y]:
			return -1
		case norms[x] < norms[y]:
			return 1
		}
		return 0
	})
	for _, i := range order {
		fixSign(j.v[i])
		sigma, v = append(sigma, norms[i]), append(v, j.v[i])
	}
	return sigma, v
}

func fixSign(col []float64) {
	largest := 0
	for i, x := range col {
		if math.Abs(x) > math.Abs(col[largest]) {
			largest = i
		}
	}
	if col[largest] < 0 {
		for i, x := range col {
			col[i] = 0 - x // never −0
		}
	}
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i, xi := range x {
		sum += float64(xi * y[i])
	}
	return sum
}

func norm(x []float64) float64 { return math.Sqrt(dot(x, x)) }
