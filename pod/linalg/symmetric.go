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

// symmetricNoise is the error of an eigenvalue, relative to the largest one and for each column that is not 0, in
// units of [Epsilon].
const symmetricNoise = 8

// factorSymmetric returns σ and the columns of V of a symmetric positive semidefinite D, whose eigenvalues are its
// singular values. The error of each is at most 8nε·σ₁, where n is the number of columns that are not 0; one that is
// no larger is 0, since rounding alone may have kept it from that.
func (d *Decomposition) factorSymmetric() (sigma []float64, v [][]float64, err error) {
	scale := powerOfTwo(d.data.Rows)
	t, live, err := d.diagonalised(func() ([][]float64, []int, error) { return newSymmetric(d.data, scale) })
	if err != nil {
		return nil, nil, err
	}
	sigma = make([]float64, d.data.Dims)
	if len(live) == 0 {
		return sigma, identity(d.data.Dims), nil
	}
	order := descending(t.diagonal)
	noise := float64(symmetricNoise*float64(len(live))*Epsilon) * t.diagonal[order[0]]
	for j, at := range order {
		switch x := t.diagonal[at]; {
		case x > noise:
			sigma[j] = float64(x * scale)
		case x < -noise:
			return nil, nil, errNotSymmetric
		}
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
	a = make([][]float64, len(live))
	for i := range a {
		a[i] = make([]float64, len(live))
		for at := m.first[i]; at < m.first[i+1]; at++ {
			a[i][m.column[at]] = m.value[at] / scale
		}
	}
	return a, live, nil
}

// tridiagonaliseWork is about the work, for each cube of the size of a matrix, until it is tridiagonal: the
// reflections, and their product.
const tridiagonaliseWork = 8.0 / 3

// diagonalised returns the diagonal form of the symmetric matrix that begin returns, or of the state to resume, and the
// features that its rows stand for.
func (d *Decomposition) diagonalised(begin func() ([][]float64, []int, error)) (*tridiagonal, []int, error) {
	t, live, err := d.resumedTridiagonal()
	if t == nil && err == nil {
		var a [][]float64
		if a, live, err = begin(); err == nil {
			d.watch.total = cube(len(live)) * (tridiagonaliseWork + diagonaliseWork)
			t, err = reduceToTridiagonal(&d.watch, a)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	d.watch.total = cube(len(live)) * (tridiagonaliseWork + diagonaliseWork)
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
	if s == nil {
		return nil, nil, nil
	}
	if s.Height != 1 {
		return nil, nil, fmt.Errorf("%w: the state belongs to another decomposition", wire.ErrMalformed)
	}
	n := len(s.Live)
	d.watch.done = cube(n) * tridiagonaliseWork
	return &tridiagonal{
		diagonal: unpackFloats(s.Columns, 1, n)[0], beside: unpackFloats(s.Numbers, 1, n)[0],
		z: unpackFloats(s.Vectors, n, n), noise: s.Noise, done: s.Step,
	}, s.Live, nil
}

// vectors returns the rows of Z in the given order as columns of V, a complete basis, with their signs fixed.
func (t *tridiagonal) vectors(order, live []int, dims int) [][]float64 {
	v := make([][]float64, len(order), dims)
	for j, at := range order {
		v[j] = make([]float64, dims)
		for i, e := range t.z[at] {
			v[j][live[i]] = e + 0 // −0 + 0 = 0
		}
		fixSignStably(v[j])
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

// appendUnits appends the unit vectors of the features that are not live, in ascending order.
func appendUnits(columns [][]float64, live []int, dims int) [][]float64 {
	for feature := range dims {
		if len(live) > 0 && live[0] == feature {
			live = live[1:]
			continue
		}
		unit := make([]float64, dims)
		unit[feature] = 1
		columns = append(columns, unit)
	}
	return columns
}
