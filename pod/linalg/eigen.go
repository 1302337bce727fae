package linalg

import "math"

// maxQLSteps bounds the implicit QL steps for one eigenvalue. Two are usual.
const maxQLSteps = 60

// tridiagonal is a symmetric tridiagonal matrix and the orthogonal basis in which it stands for
// another matrix: A = Zᵀ T Z. Or it is an upper bidiagonal matrix with A = U T Z, whose U is not
// kept.
type tridiagonal struct {
	bidiagonal bool

	diagonal []float64
	beside   []float64   // entry i is T's entry (i, i+1); the last one is 0
	z        [][]float64 // rows of Z
	noise    float64     // entries below it count as 0
	done     int         // eigenvalues or singular values found, from the first on
	pending  rotations   // of rows of Z
}

// reduceToTridiagonal returns the tridiagonal form of a symmetric matrix, by Householder
// reflections; implicit QL steps diagonalise it (Golub & Van Loan, 4th ed., §8.3.1 and §8.3.5).
// That is backward stable: the eigenvalues are those of a matrix that differs from a by a small
// multiple of nε‖a‖. It overwrites a, whose row k keeps the vector of the reflection that clears it.
func reduceToTridiagonal(watch *watch, a [][]float64) (*tridiagonal, error) {
	n := len(a)
	t := &tridiagonal{diagonal: make([]float64, n), beside: make([]float64, n)}
	scales, w, next := make([]float64, n), make([]float64, n), make([]float64, n)
	var last reflection
	for k := range n {
		if err := watch.advance(4 * float64(n-k) * float64(n-k)); err != nil {
			return nil, err
		}
		if last.v != nil {
			subtractTwo(a[k][k:], last.w, last.v, last.v[0], last.w[0])
		}
		t.diagonal[k] = a[k][k]
		if k == n-1 {
			break
		}
		v := a[k][k+1:]
		t.beside[k], scales[k] = makeReflection(v)
		last = last.follow(a[k+1:], k+1, v, scales[k], next[k+1:])
		w, next = next, w
	}
	t.noise = float64(Epsilon * t.norm())
	var err error
	t.z, err = accumulateReflections(watch, a, scales)
	return t, err
}

// negligible is a square so small that it can only come from rounding, since the matrices have integer entries, or are
// divided by their largest entry. In a matrix of low rank the noise shrinks with each reflection, until the inverse of
// its square would overflow.
const negligible = 0x1p-500

// makeReflection turns x into the vector v of the reflection I − s·vvᵀ that takes x to a multiple
// of the first unit vector. It returns that multiple and s, which is 0 if x is one already.
func makeReflection(x []float64) (first, s float64) {
	first, x[0], s = reflectionOf(x[0], Dot(x[1:], x[1:]))
	return first, s
}

// reflectionOf returns the reflection of a vector, given its first entry and the square of the rest: what it takes the
// first entry to, and the first entry of v and s, which is 0 if the rest is negligible.
func reflectionOf(x, rest float64) (first, v, s float64) {
	if rest < negligible {
		return x, x, 0
	}
	first = math.Sqrt(float64(x*x) + rest)
	if x > 0 {
		first = -first
	}
	v = x - first // of opposite signs: nothing cancels
	return first, v, 2 / (float64(v*v) + rest)
}

// MultiplyRows sets out to the dot products of v with the rows from the given column on.
func MultiplyRows(rows [][]float64, column int, v, out []float64) {
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

// fewRows is a number of rows for which Products makes no panels, which would cost more than they save.
const fewRows = 4

// Products returns the dot product of each row of a with each row of b.
func Products(a, b [][]float64) [][]float64 {
	products := newMatrix(len(a), len(b))
	if len(a) < fewRows {
		for i, x := range a {
			MultiplyRows(b, 0, x, products[i])
		}
		return products
	}
	p := make(panel, len(a[0]))
	for from := 0; from < len(b); from += panelWidth {
		p.setColumns(b[from:min(from+panelWidth, len(b))])
		for i, x := range a {
			var sums [panelWidth]float64
			addProducts(p, x, &sums)
			copy(products[i][from:], sums[:])
		}
	}
	return products
}

// accumulateReflections returns the rows of Z, whose transpose is the product of the reflections
// in the rows of a.
func accumulateReflections(watch *watch, a [][]float64, scales []float64) ([][]float64, error) {
	z, p := make([][]float64, 0, len(a)), make(panel, len(a))
	for len(z) < len(a) {
		p.setRows(len(z), a, scales)
		for column := range min(panelWidth, len(a)-len(z)) {
			z = append(z, p.row(column))
		}
		if err := watch.advance(4.0 / 3 * panelWidth * float64(len(a)) * float64(len(a))); err != nil {
			return nil, err
		}
	}
	return z, nil
}

// subtractMultiple subtracts a·x from row.
func subtractMultiple(row, x []float64, a float64) {
	x = x[:len(row)]
	for i := range row {
		row[i] -= float64(a * x[i])
	}
}

// tridiagonaliseWork is about the work, for each cube of the size of a matrix, until it is tridiagonal: the
// reflections, and their product.
const tridiagonaliseWork = 8.0 / 3

// diagonaliseWork is about the work of [tridiagonal.diagonalise] for each cube of T's size: two
// steps for each eigenvalue, which rotate rows of Z.
const diagonaliseWork = 6.0

// diagonalise makes T diagonal, so that the rows of Z are its eigenvectors, in no order. The error
// is that of the watch or [ErrNoConvergence].
func (t *tridiagonal) diagonalise(watch *watch) error {
	all, n := watch.done+t.workLeft(), len(t.diagonal)
	t.pending = make(rotations, 0, min(manyRotations, n*n)+n)
	for ; t.done < len(t.diagonal); t.done++ {
		if err := watch.advanceTo(all - t.workLeft()); err != nil {
			return err
		}
		if err := t.findEigenvalue(t.done); err != nil {
			return err
		}
		if len(t.pending) >= manyRotations {
			t.pending.apply(t.z)
		}
	}
	t.pending.apply(t.z)
	return nil
}

// workLeft returns about the work until T is diagonal. Each eigenvalue makes those after it cheaper.
func (t *tridiagonal) workLeft() float64 {
	left := float64(len(t.diagonal) - t.done)
	return float64(diagonaliseWork * float64(left*left) * float64(len(t.diagonal)))
}

// findEigenvalue takes steps until the off-diagonal entry at first is negligible.
func (t *tridiagonal) findEigenvalue(first int) error {
	for steps := 0; ; steps++ {
		last := first
		for last < len(t.diagonal)-1 && math.Abs(t.beside[last]) > t.noise {
			last++
		}
		if last == first {
			t.beside[first] = 0
			return nil
		}
		t.beside[last] = 0
		if steps == maxQLSteps {
			return ErrNoConvergence
		}
		if t.bidiagonal {
			t.stepBidiagonal(first, last)
		} else {
			t.stepQL(first, last)
		}
	}
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
		t.pending = append(t.pending, neighbourRotation{i, c, s})
		if i == first {
			d[first] -= p
			e[first] = g
		}
	}
	e[last] = 0
}

// rotations are rotations of neighbouring rows of a matrix that have not been done yet.
type rotations []neighbourRotation

// neighbourRotation rotates row i and the next one.
type neighbourRotation struct {
	row  int
	c, s float64
}

// manyRotations is the number of pending rotations from which on they are applied to the matrix.
const manyRotations = 1 << 18

// turnSlices rotates x and y like [rotate], but computes no sums, which takes a third of the time.
func turnSlices(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, xi := range x {
		yi := y[i]
		x[i], y[i] = float64(c*xi)-float64(s*yi), float64(s*xi)+float64(c*yi)
	}
}
