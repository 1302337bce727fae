package linalg

import (
	"errors"
	"math"
	"slices"
)

// Epsilon is the distance from 1 to the next float64.
const Epsilon = 0x1p-52

// maxJacobiSweeps is far above the 6 sweeps that the data of random walks needs.
const maxJacobiSweeps = 64

// ErrNoConvergence reports that the singular value decomposition did not converge.
var ErrNoConvergence = errors.New("the singular value decomposition did not converge")

// jacobi is the one-sided Jacobi method (Hestenes 1958; Golub & Van Loan, 4th ed.,
// §8.6.3): it rotates pairs of columns until all are orthogonal. Columns that are zero from
// the start are orthogonal to all others, so it leaves them out.
type jacobi struct {
	dims    int         // columns of the matrix, including those left out
	live    []int       // those not left out, in ascending order
	a       [][]float64 // live columns of the matrix, turned into those of UΣ
	v       [][]float64 // live rows and columns of V, accumulated from the identity
	squares []float64   // dot product of each column of a with itself

	swept   int  // sweeps done
	row     int  // first column of the sweep's next pair
	column  int  // second column of that pair
	rotated bool // in this sweep
}

// svd returns σ, in descending order, with the columns of V, a complete basis. The entry of
// largest magnitude of each column of V is positive, the first one on ties. It continues from a
// state, or begins with the columns that begin returns, which it overwrites by those of UΣ. The
// error is [ErrNoConvergence] or that of the watch.
func (d *Decomposition) svd(begin func() ([][]float64, error)) (sigma []float64, v [][]float64, err error) {
	j := d.resumedJacobi()
	if j == nil {
		columns, err := begin()
		if err != nil {
			return nil, nil, err
		}
		j = newJacobi(columns)
	}
	begun := d.watch.done
	d.current = j.state
	for ; j.swept < maxJacobiSweeps; j.swept++ {
		if err := j.sweep(&d.watch, begun); err != nil {
			return nil, nil, err
		}
		if !j.rotated {
			sigma, v = j.sortedFactors()
			return sigma, v, nil
		}
		j.rotated, j.row, j.column = false, 0, 1
	}
	return nil, nil, ErrNoConvergence
}

func newJacobi(a [][]float64) *jacobi {
	j := &jacobi{dims: len(a), column: 1}
	for i, col := range a {
		if square := Dot(col, col); square > 0 {
			j.live, j.a, j.squares = append(j.live, i), append(j.a, col), append(j.squares, square)
		}
	}
	j.v = identity(len(j.live))
	return j
}

// state returns the state before the next pair.
func (j *jacobi) state() *decompositionState {
	s := &decompositionState{Step: j.row, Column: j.column, Sweep: j.swept, Rotated: j.rotated, Live: j.live,
		Numbers: packFloats(j.squares)}
	if len(j.a) > 0 {
		s.Height = len(j.a[0])
	}
	return s.with(j.a, j.v)
}

// resumedJacobi returns the method in the state that the decomposition continues from, nil if it
// begins.
func (d *Decomposition) resumedJacobi() *jacobi {
	s := d.resumed
	if s == nil || s.Rows != 0 { // rows are still being reduced
		return nil
	}
	n := len(s.Live)
	return &jacobi{
		dims: d.data.Dims, live: s.Live, row: s.Step, column: s.Column, swept: s.Sweep, rotated: s.Rotated,
		a: unpackFloats(s.Columns, n, s.Height), squares: unpackFloats(s.Numbers, 1, n)[0],
		v: unpackFloats(s.Vectors, n, n),
	}
}

func identity(n int) [][]float64 {
	v := NewSquare(n)
	for i := range v {
		v[i][i] = 1
	}
	return v
}

// deflate sets columns of rounding noise to exactly zero. Otherwise they could shrink
// towards the smallest floats, and the method might not terminate.
func (j *jacobi) deflate() {
	if len(j.a) == 0 {
		return
	}
	noise := float64(4*float64(j.dims)*Epsilon) * math.Sqrt(slices.Max(j.squares))
	for i, col := range j.a {
		if math.Sqrt(j.squares[i]) <= noise {
			clear(col)
			j.squares[i] = 0
		}
	}
}

// usualSweeps is the number of sweeps that large matrices take.
const usualSweeps = 10

// sweep visits the remaining pairs of columns in cyclic order, and notes whether any was rotated.
// The work done before the first sweep has begun is given.
func (j *jacobi) sweep(watch *watch, begun float64) error {
	if j.row == 0 && j.column == 1 {
		j.deflate()
	}
	n := float64(len(j.a))
	for ; j.row < len(j.a); j.row, j.column = j.row+1, j.row+2 {
		height := float64(len(j.a[0]) + len(j.a))
		watch.total = begun + float64(3*height*n*n*float64(max(usualSweeps, j.swept+2)))
		for j.column < len(j.a) {
			next, rotated := j.rotateNext(j.row, j.column)
			j.column, j.rotated = next, j.rotated || rotated
			pairs := float64(n*n*float64(j.swept)) + float64(float64(j.row)*(float64(2*n)-float64(j.row))) +
				float64(2*float64(j.column-j.row))
			if err := watch.advanceTo(begun + float64(3*height*pairs)); err != nil {
				return err
			}
		}
	}
	return nil
}

// rotateNext visits up to four pairs (p, q), (p, q+1) … up to the first that it rotates. It returns the next q.
// Computing the dot products of four pairs at once takes hardly longer than one, whose additions depend on each other.
func (j *jacobi) rotateNext(p, q int) (next int, rotated bool) {
	block := j.a[q:min(q+4, len(j.a))]
	for i, gamma := range dots(j.a[p], block) {
		if i == len(block) {
			break
		}
		if c, s, ok := j.rotationFor(p, q+i, gamma); ok {
			j.squares[p], j.squares[q+i] = rotate(j.a[p], block[i], c, s)
			turn(j.v[p], j.v[q+i], c, s)
			return q + i + 1, true
		}
	}
	return q + len(block), false
}

// rotationFor returns the cosine and sine of the rotation that makes columns p and q, with
// the dot product gamma, orthogonal; ok is false if they are orthogonal up to rounding.
func (j *jacobi) rotationFor(p, q int, gamma float64) (c, s float64, ok bool) {
	alpha, beta := j.squares[p], j.squares[q]
	slack := float64(4*float64(j.dims)) + math.Sqrt(float64(len(j.a[p])))
	if math.Abs(gamma) <= float64(slack*Epsilon)*float64(math.Sqrt(alpha)*math.Sqrt(beta)) {
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

// rotate rotates columns x and y and returns their dot products with themselves.
func rotate(x, y []float64, c, s float64) (xx, yy float64) {
	y = y[:len(x)]
	for i, xi := range x {
		yi := y[i]
		xi, yi = float64(c*xi)-float64(s*yi), float64(s*xi)+float64(c*yi)
		x[i], y[i] = xi, yi
		xx += float64(xi * xi)
		yy += float64(yi * yi)
	}
	return xx, yy
}

// sortedFactors returns σ in stable descending order and the columns of V in the same
// order, with their signs fixed.
func (j *jacobi) sortedFactors() (sigma []float64, v [][]float64) {
	norms, v := make([]float64, j.dims), identity(j.dims)
	for i, at := range j.live {
		norms[at] = math.Sqrt(j.squares[i])
		for row, x := range j.v[i] {
			v[at][j.live[row]] = x
		}
		fixSign(v[at], 1)
	}
	sigma, sorted := make([]float64, j.dims), make([][]float64, j.dims)
	for i, at := range descending(norms) {
		sigma[i], sorted[i] = norms[at], v[at]
	}
	return sigma, sorted
}

// dots returns the dot products of x and up to four columns.
func dots(x []float64, columns [][]float64) (sums [4]float64) {
	if len(columns) < 4 {
		for i, y := range columns {
			sums[i] = Dot(x, y)
		}
		return sums
	}
	a, b, c, d := columns[0][:len(x)], columns[1][:len(x)], columns[2][:len(x)], columns[3][:len(x)]
	var xa, xb, xc, xd float64
	for i, xi := range x {
		xa += float64(xi * a[i])
		xb += float64(xi * b[i])
		xc += float64(xi * c[i])
		xd += float64(xi * d[i])
	}
	return [4]float64{xa, xb, xc, xd}
}

func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	sum := 0.0
	for i, xi := range x {
		sum += float64(xi * y[i])
	}
	return sum
}

func Norm(x []float64) float64 { return math.Sqrt(Dot(x, x)) }
