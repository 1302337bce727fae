package linalg

import (
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

const (
	// subspaceTolerance bounds the residuals ‖Av − θv‖ of what is returned, relative to the largest eigenvalue. Some
	// eigenvalue is as near to θ.
	subspaceTolerance = 0x1p-42
	// minGuards and maxGuards bound the number of vectors beside those that are wanted.
	minGuards, maxGuards = 8, 32
	// firstDegree and maxDegree bound the degree of a filter; each may be twice that of the one before.
	firstDegree, maxDegree = 32, 1 << 14
	// filterResolution is 7/2: a filter of degree m magnifies the last wanted direction at least e⁷ times against those
	// whose eigenvalues are less by more than (7/2m)² times the largest one.
	filterResolution = 3.5
	// filterRange bounds the factor by which a filter magnifies the largest eigenvalue more than the last wanted one,
	// so that rounding errors along the first direction do not exceed what is left of the last.
	filterRange = 1e9
	// filterGain is how much the last wanted direction is magnified at most: what goes beyond gains nothing.
	filterGain = 1e13
	// maxProducts is the number of products with the matrix after which the method ends without a result.
	maxProducts = 1 << 17
)

// A subspace is the state of Chebyshev-filtered subspace iteration (Zhou, Saad, Tiago & Chelikowsky, "Self-consistent
// field calculations using Chebyshev-filtered subspace iteration", Journal of Computational Physics 219, 2006) for the
// largest eigenvalues of a symmetric matrix A that has none below 0.
//
// Each round magnifies the directions of large eigenvalues by a polynomial in A, orthonormalises the vectors, and
// diagonalises A in what they span (Rayleigh-Ritz). It ends when the residuals of the wanted vectors are small. The
// others guard: an eigenvalue as often repeated as there are vectors is found that often, and the wanted ones converge
// with the distance to the last guard. The degree of the polynomial follows from the eigenvalues found so far and from
// how fast the residuals fall.
type subspace struct {
	a       *sparseSymmetric
	watch   *watch
	centred bool    // the vectors are orthogonal to the constant one
	above   float64 // eigenvalue of the constant vector, if they are

	wanted, columns int
	x, next, before []float64 // by rows, of so many columns
	values          []float64 // of A in the span of x, descending
	degree          int       // of the next filter at most
	products        int
	stream          *rng.Stream // of directions to begin with
}

// newSubspace returns random vectors, for so many wanted ones.
func newSubspace(watch *watch, a *sparseSymmetric, centred bool, wanted int) *subspace {
	most := a.size()
	s := &subspace{a: a, watch: watch, centred: centred, degree: firstDegree,
		stream: rng.NewStream(0, 0, "subspace")}
	if centred {
		most--
		for _, x := range a.value[:a.first[1]] {
			s.above += x // of each row, the same
		}
	}
	s.wanted = min(wanted, most)
	s.columns = min(wanted+guardsOf(wanted), most)
	n := a.size() * s.columns
	s.x, s.next, s.before = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range s.x {
		s.x[i] = s.draw()
	}
	return s
}

// guardsOf returns the number of guards for so many wanted vectors.
func guardsOf(wanted int) int { return max(minGuards, min(wanted, maxGuards)) }

// draw returns 1 or −1.
func (s *subspace) draw() float64 { return float64(2*s.stream.Below(2) - 1) }

// iterate finds the wanted vectors. The error is that of the watch or [ErrNoConvergence].
func (s *subspace) iterate() error {
	last := math.Inf(1)
	for {
		if err := s.orthonormalise(); err != nil {
			return err
		}
		if err := s.diagonalise(); err != nil {
			return err
		}
		residual := s.residual()
		if residual <= float64(subspaceTolerance*s.values[0]) {
			return nil
		}
		if residual > last/8 {
			s.degree = min(2*s.degree, maxDegree)
		}
		last = residual
		if s.products >= maxProducts {
			return schema.Hint(fmt.Errorf("%w: after %d products with a matrix of %d rows, a residual is %.1e times σ",
				ErrNoConvergence, s.products, s.a.size(), residual/s.values[0]),
				"its σ are too near to each other: select another number of directions, or visit fewer states")
		}
		if err := s.filter(); err != nil {
			return err
		}
	}
}

// filter multiplies the vectors by a Chebyshev polynomial that is at most 1 in size from 0 to a bound below the wanted
// eigenvalues, and grows beyond it.
func (s *subspace) filter() error {
	largest, last := s.values[0], s.values[s.wanted-1]
	resolution := filterResolution / float64(s.degree)
	bound := min(s.values[s.columns-1], last-float64(float64(resolution*resolution)*largest))
	if bound <= float64(largest*Epsilon) {
		bound = last / 2
	}
	top, low := newChebyshev(max(largest, s.above), bound), newChebyshev(last, bound)
	s.a.multiply(s.x, s.next, s.columns)
	for i, y := range s.next {
		s.next[i] = float64(2/bound*y) - s.x[i]
	}
	s.x, s.next, s.before = s.next, s.before, s.x
	for n := 1; ; n++ {
		s.products++
		if err := s.watch.advance(s.work()); err != nil {
			return err
		}
		if n == s.degree || low.value >= filterGain || top.value >= float64(filterRange*low.value) {
			return nil
		}
		s.a.stepChebyshev(4/bound, s.x, s.before, s.columns)
		s.x, s.before = s.before, s.x
		top.step()
		low.step()
	}
}

// work returns about the work of a product.
func (s *subspace) work() float64 { return 2 * float64(len(s.a.value)) * float64(s.columns) }

// chebyshev is the value of the Chebyshev polynomials at a point, from the first degree on.
type chebyshev struct{ at, value, before float64 }

// newChebyshev returns the first polynomial at x where the interval from 0 to bound is taken to [−1, 1].
func newChebyshev(x, bound float64) chebyshev {
	at := float64(2*x)/bound - 1
	return chebyshev{at: at, value: at, before: 1}
}

// step goes to the next degree.
func (c *chebyshev) step() {
	c.value, c.before = float64(float64(2*c.at)*c.value)-c.before, c.value
}

// orthonormalise makes the vectors orthonormal, by Gram-Schmidt twice.
func (s *subspace) orthonormalise() error {
	if s.centred {
		s.centre()
	}
	for j := range s.columns {
		if err := s.watch.advance(8 * float64(s.a.size()) * float64(j)); err != nil {
			return err
		}
		for !s.orthonormaliseOne(j) {
			for i := j; i < len(s.x); i += s.columns {
				s.x[i] = s.draw()
			}
			if s.centred {
				s.centre()
			}
		}
	}
	return nil
}

// orthonormaliseOne makes vector j orthogonal to those before it and of length 1. It returns false if nothing but
// rounding errors is left of it.
func (s *subspace) orthonormaliseOne(j int) bool {
	products := make([]float64, j)
	for range 2 {
		before := s.scaleToUnit(j)
		clear(products)
		for i := 0; i < len(s.x); i += s.columns {
			row, y := s.x[i:i+j], s.x[i+j]
			for c, x := range row {
				products[c] += float64(x * y)
			}
		}
		for i := 0; i < len(s.x); i += s.columns {
			row, y := s.x[i:i+j], s.x[i+j]
			for c, x := range row {
				y -= float64(products[c] * x)
			}
			s.x[i+j] = y
		}
		if before == 0 || s.lengthOf(j) < 64*Epsilon {
			return false
		}
	}
	return s.scaleToUnit(j) > 0
}

// lengthOf returns the length of vector j.
func (s *subspace) lengthOf(j int) float64 {
	sum := 0.0
	for i := j; i < len(s.x); i += s.columns {
		sum += float64(s.x[i] * s.x[i])
	}
	return math.Sqrt(sum)
}

// scaleToUnit divides vector j by its length, which it returns.
func (s *subspace) scaleToUnit(j int) float64 {
	length := s.lengthOf(j)
	if length > 0 {
		for i := j; i < len(s.x); i += s.columns {
			s.x[i] /= length
		}
	}
	return length
}

// centre makes the entries of each vector sum to 0.
func (s *subspace) centre() {
	sums := make([]float64, s.columns)
	for i := 0; i < len(s.x); i += s.columns {
		for c, x := range s.x[i : i+s.columns] {
			sums[c] += x
		}
	}
	for c := range sums {
		sums[c] /= float64(s.a.size())
	}
	for i := 0; i < len(s.x); i += s.columns {
		for c, mean := range sums {
			s.x[i+c] -= mean
		}
	}
}

// diagonalise turns the vectors so that A is diagonal in them, and sets the eigenvalues. It leaves Ax in next.
func (s *subspace) diagonalise() error {
	s.a.multiply(s.x, s.next, s.columns)
	s.products++
	if err := s.watch.advance(float64(s.work()) + float64(6*len(s.x)*s.columns)); err != nil {
		return err
	}
	small := NewSquare(s.columns)
	for i := 0; i < len(s.x); i += s.columns {
		row := s.next[i : i+s.columns]
		for c, x := range s.x[i : i+s.columns] {
			into := small[c][:c+1]
			for e := range into {
				into[e] += float64(x * row[e])
			}
		}
	}
	for c, row := range small {
		for e := range c {
			small[e][c] = row[e]
		}
	}
	t, err := reduceToTridiagonal(s.watch, small)
	if err == nil {
		err = t.diagonalise(s.watch)
	}
	if err != nil {
		return err
	}
	turned := make([][]float64, 0, s.columns)
	s.values = s.values[:0]
	for _, at := range descending(t.diagonal) {
		turned, s.values = append(turned, t.z[at]), append(s.values, t.diagonal[at])
	}
	rotateRows(s.x, turned)
	rotateRows(s.next, turned)
	return nil
}

// rotateRows replaces each row of x, of as many entries as there are vectors, by its scalar products with the vectors.
func rotateRows(x []float64, vectors [][]float64) {
	out := make([]float64, len(vectors))
	for ; len(x) > 0; x = x[len(vectors):] {
		MultiplyRows(vectors, 0, x[:len(vectors)], out)
		copy(x, out)
	}
}

// residual returns the largest length of Av − θv of a wanted vector.
func (s *subspace) residual() float64 {
	squares := make([]float64, s.wanted)
	for i := 0; i < len(s.x); i += s.columns {
		for j := range squares {
			r := s.next[i+j] - float64(s.values[j]*s.x[i+j])
			squares[j] += float64(r * r)
		}
	}
	return math.Sqrt(slices.Max(squares))
}

// factorTop returns the first σ and columns of V of a symmetric D that has no eigenvalue below 0. A σ that is at most
// the bound of the residuals is 0. If D has fewer columns that are not 0, V continues with the unit vectors of others,
// of σ 0.
func (d *Decomposition) factorTop() (sigma []float64, v [][]float64, err error) {
	a, live, err := newSparseSymmetric(d.data)
	if err != nil {
		return nil, nil, err
	}
	sigma = make([]float64, d.data.Top)
	if len(live) > 0 {
		s := newSubspace(&d.watch, a, d.data.Centred, d.data.Top)
		usualProducts := 200 + float64(10*math.Sqrt(float64(a.size()))) // about as many as the matrix of a grid takes
		d.watch.total = s.work() * usualProducts
		if err := s.iterate(); err != nil {
			return nil, nil, err
		}
		for j := range s.wanted {
			if x := s.values[j]; x > float64(subspaceTolerance*s.values[0]) {
				sigma[j] = x
			}
			column := make([]float64, d.data.Dims)
			for i, feature := range live {
				column[feature] = s.x[i*s.columns+j] + 0 // −0 + 0 = 0
			}
			fixSign(column, nearlyLargest)
			v = append(v, column)
		}
	}
	return sigma, appendUnits(v, live, d.data.Dims)[:d.data.Top], nil
}

// EstimateTopMemory returns the approximate memory, in bytes, for computing the first directions of a symmetric D with
// the given numbers of features, directions, distinct rows and nonzero entries: three blocks of vectors, V by columns,
// by rows and in the record, and D's entries, also those in the record.
func EstimateTopMemory(dims, top, rows, entries int64) int64 {
	columns := top + int64(guardsOf(int(top)))
	return 8*(3*columns+3*top)*dims + 24*columns*columns + 56*(rows+entries)
}
