package pod

import (
	"context"
	"math"
)

// maxQLSteps bounds the implicit QL steps for one eigenvalue. Two are usual.
const maxQLSteps = 60

// tridiagonal is a symmetric tridiagonal matrix and the orthogonal basis in which it stands for
// another matrix: A = Zᵀ T Z.
type tridiagonal struct {
	diagonal []float64
	beside   []float64   // entry i is T's entry (i, i+1); the last one is 0
	z        [][]float64 // rows of Z
}

// decomposeSymmetric returns the eigenvalues of a symmetric matrix, in no order, and for each a
// unit eigenvector. It overwrites the matrix. The matrix is reduced to tridiagonal form by
// Householder reflections, which implicit QL steps diagonalise (Golub & Van Loan, 4th ed.,
// §8.3.1 and §8.3.5). That is backward stable: the eigenvalues are those of a matrix that
// differs from a by a small multiple of nε‖a‖. The error is that of ctx or [ErrNoConvergence].
func decomposeSymmetric(ctx context.Context, a [][]float64) (values []float64, vectors [][]float64, err error) {
	t, err := reduceToTridiagonal(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	if err := t.diagonalise(ctx); err != nil {
		return nil, nil, err
	}
	return t.diagonal, t.z, nil
}

// reduceToTridiagonal overwrites the symmetric matrix a. Its row k keeps the vector of the
// reflection that clears it.
func reduceToTridiagonal(ctx context.Context, a [][]float64) (*tridiagonal, error) {
	n := len(a)
	t := &tridiagonal{diagonal: make([]float64, n), beside: make([]float64, n)}
	scales, w := make([]float64, n), make([]float64, n)
	for k := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.diagonal[k] = a[k][k]
		if k == n-1 {
			break
		}
		v := a[k][k+1:]
		t.beside[k], scales[k] = makeReflection(v)
		reflectBothSides(a[k+1:], k+1, v, scales[k], w[k+1:])
	}
	t.z = accumulateReflections(a, scales)
	return t, nil
}

// makeReflection turns x into the vector v of the reflection I − s·vvᵀ that takes x to a multiple
// of the first unit vector. It returns that multiple and s, which is 0 if x is one already.
func makeReflection(x []float64) (first, s float64) {
	rest := dot(x[1:], x[1:])
	if rest == 0 {
		return x[0], 0
	}
	length := math.Sqrt(float64(x[0]*x[0]) + rest)
	if x[0] > 0 {
		length = -length
	}
	x[0] -= length // of equal signs: nothing cancels
	return length, 2 / (float64(x[0]*x[0]) + rest)
}

// reflectBothSides replaces the block B of the rows from the given column on by HBH, where H is
// I − s·vvᵀ. w is memory of the length of v.
func reflectBothSides(rows [][]float64, column int, v []float64, s float64, w []float64) {
	if s == 0 {
		return
	}
	multiplyRows(rows, column, v, w)
	half := float64(float64(s*s)*dot(w, v)) / 2
	for i, x := range v {
		w[i] = float64(s*w[i]) - float64(half*x)
	}
	for i, row := range rows {
		subtractTwo(row[column:], w, v, v[i], w[i])
	}
}

// multiplyRows sets out to the dot products of v with the rows from the given column on.
func multiplyRows(rows [][]float64, column int, v, out []float64) {
	var block [4][]float64
	for i := 0; i < len(rows); i += 4 {
		some := rows[i:min(i+4, len(rows))]
		for b, row := range some {
			block[b] = row[column:]
		}
		sums := dots(v, block[:len(some)])
		copy(out[i:], sums[:len(some)])
	}
}

// subtractTwo subtracts a·x + b·y from row.
func subtractTwo(row, x, y []float64, a, b float64) {
	x, y = x[:len(row)], y[:len(row)]
	for i := range row {
		row[i] -= float64(a*x[i]) + float64(b*y[i])
	}
}

// accumulateReflections returns the rows of Z, whose transpose is the product of the reflections
// in the rows of a.
func accumulateReflections(a [][]float64, scales []float64) [][]float64 {
	n := len(a)
	z := identity(n)
	products := make([]float64, n)
	for k := n - 2; k >= 0; k-- {
		if scales[k] == 0 {
			continue
		}
		v := a[k][k+1:]
		multiplyRows(z[k+1:], k+1, v, products)
		for i, row := range z[k+1:] {
			subtractMultiple(row[k+1:], v, float64(scales[k]*products[i]))
		}
	}
	return z
}

// subtractMultiple subtracts a·x from row.
func subtractMultiple(row, x []float64, a float64) {
	x = x[:len(row)]
	for i := range row {
		row[i] -= float64(a * x[i])
	}
}

// diagonalise makes T diagonal, so that the rows of Z are its eigenvectors.
func (t *tridiagonal) diagonalise(ctx context.Context) error {
	noise := float64(epsilon * t.norm())
	for first := range t.diagonal {
		for steps := 0; ; steps++ {
			last := first
			for last < len(t.diagonal)-1 && math.Abs(t.beside[last]) > noise {
				last++
			}
			if last == first {
				break
			}
			t.beside[last] = 0
			if steps == maxQLSteps {
				return ErrNoConvergence
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			t.stepQL(first, last)
		}
		t.beside[first] = 0
	}
	return nil
}

// norm returns the largest sum of the magnitudes of a row.
func (t *tridiagonal) norm() float64 {
	largest, before := 0.0, 0.0
	for i, d := range t.diagonal {
		after := math.Abs(t.beside[i])
		largest = max(largest, math.Abs(d)+before+after)
		before = after
	}
	return largest
}

// stepQL does an implicit QL step with Wilkinson's shift on the block from first to last, which
// chases a bulge from the bottom to the top.
func (t *tridiagonal) stepQL(first, last int) {
	d, e := t.diagonal, t.beside
	g := (d[first+1] - d[first]) / float64(2*e[first])
	r := math.Sqrt(float64(g*g) + 1)
	if g < 0 {
		r = -r
	}
	g = d[last] - d[first] + e[first]/(g+r)
	s, c, p := 1.0, 1.0, 0.0
	for i := last - 1; i >= first; i-- {
		f, b := float64(s*e[i]), float64(c*e[i])
		r = math.Sqrt(float64(f*f) + float64(g*g))
		e[i+1] = r
		if r == 0 {
			d[i+1] -= p
			break
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = float64((d[i]-g)*s) + float64(float64(2*c)*b)
		p = float64(s * r)
		d[i+1] = g + p
		g = float64(c*r) - b
		rotate(t.z[i], t.z[i+1], c, s)
		if i == first {
			d[first] -= p
			e[first] = g
		}
	}
	e[last] = 0
}
