package linalg

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema/wire"
)

// errNotSymmetric reports rows that are not those of a matrix that [Symmetric] takes.
var errNotSymmetric = errors.New("the rows of D are not those of a symmetric positive semidefinite matrix whose " +
	"diagonal has the largest entry of each row")

// factorSymmetric returns σ and the columns of V of a symmetric positive semidefinite D, whose eigenvalues are its
// singular values. The error of each is at most 8nε·σ₁, where n is the number of columns that are not 0; σ no larger
// are 0.
func (d *Decomposition) factorSymmetric() (sigma []float64, v [][]float64, err error) {
	scale := powerOfTwoNear(LargestOf(d.data.Rows))
	t, live, err := d.diagonalised(func() (*tridiagonal, []int, error) {
		a, live, err := newSymmetric(d.data, scale)
		if err != nil {
			return nil, nil, err
		}
		return d.tridiagonalise(a, live)
	})
	if err != nil {
		return nil, nil, err
	}
	sigma, order := t.values(scale, d.data.Dims)
	if len(order) > 0 && t.diagonal[order[len(order)-1]] < -t.accuracy() {
		return nil, nil, errNotSymmetric
	}
	return sigma, t.vectors(order, live, d.data.Dims), nil
}

// newSymmetric returns the symmetric matrix whose rows D has, divided by scale, over the columns that are not 0, and
// which these are, in ascending order.
func newSymmetric(d Dataset, scale float64) (a [][]float64, live []int, err error) {
	m, live, err := newSparseSymmetric(d)
	if err != nil {
		return nil, nil, err
	}
	a = NewSquare(len(live))
	for i := range a {
		for at := m.first[i]; at < m.first[i+1]; at++ {
			a[i][m.column[at]] = m.value[at] / scale
		}
	}
	return a, live, nil
}

// tridiagonalise returns the tridiagonal form of a symmetric matrix, which it overwrites, and the features that its
// rows stand for.
func (d *Decomposition) tridiagonalise(a [][]float64, live []int) (*tridiagonal, []int, error) {
	d.watch.total = d.how.squareWork(len(live))
	t, err := reduceToTridiagonal(&d.watch, a)
	return t, live, err
}

// diagonalised returns the diagonal form of the matrix that begin returns, or of the state to resume, and the features
// that its rows stand for.
func (d *Decomposition) diagonalised(begin func() (*tridiagonal, []int, error)) (*tridiagonal, []int, error) {
	t, live, err := d.resumedTridiagonal()
	if t == nil && err == nil {
		t, live, err = begin()
	}
	if err != nil {
		return nil, nil, err
	}
	d.watch.total = d.watch.done + t.workLeft()
	d.current = func() *decompositionState {
		t.pending.apply(t.z)
		s := &decompositionState{Step: t.done, Live: live, Height: 1, Noise: t.noise,
			Numbers: packFloats(t.beside)}
		return s.with([][]float64{t.diagonal}, t.z)
	}
	return t, live, t.diagonalise(&d.watch)
}

// resumedTridiagonal returns the tridiagonal form in the state that the decomposition continues from, nil if it begins,
// and the features that its rows stand for.
func (d *Decomposition) resumedTridiagonal() (t *tridiagonal, live []int, err error) {
	s := d.resumed
	if s == nil || s.Rows != 0 { // rows are still being reduced
		return nil, nil, nil
	}
	if s.Height != 1 {
		return nil, nil, fmt.Errorf("%w: the state belongs to another decomposition", wire.ErrMalformed)
	}
	n := len(s.Live)
	t = &tridiagonal{
		bidiagonal: d.how == Bidiagonal, diagonal: unpackFloats(s.Columns, 1, n)[0],
		beside: unpackFloats(s.Numbers, 1, n)[0], z: unpackFloats(s.Vectors, n, n), noise: s.Noise, done: s.Step,
	}
	d.watch.done = d.how.squareWork(n) - t.workLeft()
	return t, s.Live, nil
}

// relativeAccuracy bounds the error of σ relative to σ₁, for each column that is not 0, in units of [Epsilon].
const relativeAccuracy = 8

// accuracy returns the bound of the error of σ.
func (t *tridiagonal) accuracy() float64 {
	largest := 0.0
	for _, x := range t.diagonal {
		largest = max(largest, x)
	}
	return float64(relativeAccuracy*float64(len(t.diagonal))*Epsilon) * largest
}

// values returns the entries of a diagonal T times scale, in descending order and with zeros for the other columns, and
// the order of T's entries. What is no larger than its error is 0.
func (t *tridiagonal) values(scale float64, dims int) (sigma []float64, order []int) {
	sigma, order = make([]float64, dims), descending(t.diagonal)
	zero := t.accuracy()
	for j, at := range order {
		if x := t.diagonal[at]; x > zero {
			sigma[j] = float64(x * scale)
		}
	}
	return sigma, order
}

// vectors returns the rows of Z in the given order as columns of V, a complete basis, with their signs fixed.
func (t *tridiagonal) vectors(order, live []int, dims int) [][]float64 {
	v := make([][]float64, len(order), dims)
	for j, at := range order {
		v[j] = make([]float64, dims)
		for i, e := range t.z[at] {
			v[j][live[i]] = e + 0 // −0 + 0 = 0
		}
		fixSign(v[j], nearlyLargest)
	}
	return appendUnits(v, live, dims)
}

// descending returns the indices of xs in stable descending order of their values.
func descending(xs []float64) []int {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(xs[j], xs[i]) })
	return order
}

// appendUnits appends the unit vectors of the features that are not live, in ascending order. They are windows of one
// array, which has a 1 in its middle, and must not be changed.
func appendUnits(columns [][]float64, live []int, dims int) [][]float64 {
	window := make([]float64, 2*dims)
	window[dims] = 1
	for feature := range dims {
		if len(live) > 0 && live[0] == feature {
			live = live[1:]
			continue
		}
		columns = append(columns, window[dims-feature:2*dims-feature:2*dims-feature])
	}
	return columns
}
