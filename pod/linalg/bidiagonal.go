package linalg

import "math"

// factorBidiagonal returns σ and the columns of V of a D of real numbers, of any scale. If D has more distinct rows
// than features, they are reduced like those of [Decomposition.factorReduced]. Householder reflections from both sides
// make the rest bidiagonal, and implicit QR steps diagonal (Golub & Van Loan, 4th ed., §5.4.8 and §8.6.2). The error of
// each σ is at most 8nε·σ₁, where n is the number of columns that are not 0; σ no larger are 0.
func (d *Decomposition) factorBidiagonal() (sigma []float64, v [][]float64, err error) {
	scale := powerOfTwoNear(LargestOf(d.data.Rows))
	t, live, err := d.diagonalised(func() (*tridiagonal, []int, error) {
		columns, err := d.reducedColumns(d.data, scale)
		if err != nil {
			return nil, nil, err
		}
		live, _ := d.data.findLive()
		d.watch.total = d.watch.done + d.how.squareWork(len(live))
		t, err := reduceToBidiagonal(&d.watch, rowsOf(columns, live), len(live))
		return t, live, err
	})
	if err != nil {
		return nil, nil, err
	}
	for i, x := range t.diagonal {
		t.diagonal[i] = math.Abs(x) // U takes the sign
	}
	sigma, order := t.values(scale, d.data.Dims)
	return sigma, t.vectors(order, live, d.data.Dims), nil
}

// rowsOf returns the rows of those columns that are live, with zeros below that make at least as many rows.
func rowsOf(columns [][]float64, live []int) [][]float64 {
	if len(live) == 0 {
		return nil
	}
	rows := newMatrix(max(len(live), len(columns[live[0]])), len(live))
	for j, at := range live {
		for i, x := range columns[at] {
			rows[i][j] = x
		}
	}
	return rows
}

// bidiagonaliseWork is about the work, for each cube of the size of a matrix, until it is bidiagonal: the reflections
// from both sides, and the product of those from the right.
const bidiagonaliseWork = 4.0

// reduceToBidiagonal returns the bidiagonal form of a matrix of n columns, and of at least as many rows. It overwrites
// it; row k then has, from column k + 1 on, the vector of the reflection that clears it.
//
// The reflections of column k and row k take A to (A − upᵀ)(I − s·vvᵀ), with p = s'Aᵀu: they subtract
// upᵀ + y(sv)ᵀ, where y is (A − upᵀ)v. The entries are read and written once, when those of the next column multiply
// them.
func reduceToBidiagonal(watch *watch, a [][]float64, n int) (*tridiagonal, error) {
	t := &tridiagonal{bidiagonal: true, diagonal: make([]float64, n), beside: make([]float64, n)}
	scales, height := make([]float64, n), len(a)
	u, y, p, v := make([]float64, height), make([]float64, height), make([]float64, n), make([]float64, n)
	for k := range n {
		left, column := 0.0, make([]float64, height)
		for i, row := range a[k:] {
			column[k+i] = row[k] - (float64(u[k+i]*p[k]) + float64(y[k+i]*v[k]))
		}
		t.diagonal[k], left = makeReflection(column[k:])
		sums, row := make([]float64, n), a[k][k+1:]
		updateAndSum(a[k:], k+1, rankTwo{u[k:], p[k+1:], y[k:], v[k+1:]}, column[k:], sums[k+1:])
		u, y, p, v = column, make([]float64, height), sums, make([]float64, n)
		for j := range row {
			p[k+1+j] = float64(left * p[k+1+j])
			row[j] -= float64(p[k+1+j] * u[k])
		}
		if len(row) > 0 {
			t.beside[k], scales[k] = makeReflection(row)
		}
		if s := scales[k]; s != 0 {
			MultiplyRows(a[k+1:], k+1, row, y[k+1:])
			subtractMultiple(y[k+1:], u[k+1:], Dot(p[k+1:], row))
			for j, x := range row {
				v[k+1+j] = float64(s * x)
			}
		}
		if err := watch.advance(8 * float64(n-k) * float64(n-k)); err != nil {
			return nil, err
		}
	}
	t.noise = float64(Epsilon * t.norm())
	var err error
	t.z, err = accumulateReflections(watch, a[:n], scales)
	return t, err
}

// stepBidiagonal does an implicit QR step on the block from first to last, with the shift of Wilkinson for TTᵀ, which
// chases a bulge from the bottom to the top. Without a shift it moves an entry of 0 on the diagonal to the top.
func (t *tridiagonal) stepBidiagonal(first, last int) {
	d, e := t.diagonal, t.beside
	f, g := d[last], e[last-1]
	if shift := t.bidiagonalShift(first, last); shift != 0 {
		f -= shift / d[last]
	}
	for i := last; i > first; i-- {
		r, c, s := rotationOf(f, g)
		if i < last {
			e[i] = r
		}
		f, e[i-1] = float64(c*d[i])+float64(s*e[i-1]), float64(c*e[i-1])-float64(s*d[i])
		g, d[i-1] = float64(s*d[i-1]), float64(c*d[i-1])
		d[i], c, s = rotationOf(f, g)
		f, d[i-1] = float64(c*e[i-1])+float64(s*d[i-1]), float64(c*d[i-1])-float64(s*e[i-1])
		if i > first+1 {
			g, e[i-2] = float64(s*e[i-2]), float64(c*e[i-2])
		}
		t.pending = append(t.pending, neighbourRotation{i - 1, c, s})
	}
	e[first] = f
}

// bidiagonalShift returns the eigenvalue of the first two rows of the block's TTᵀ that is nearer to its first entry; 0
// if the diagonal has a negligible entry, which it sets to 0.
func (t *tridiagonal) bidiagonalShift(first, last int) float64 {
	d, e, zeros := t.diagonal, t.beside, false
	for i := first; i <= last; i++ {
		if math.Abs(d[i]) <= t.noise {
			d[i], zeros = 0, true
		}
	}
	if zeros {
		return 0
	}
	a := float64(d[first]*d[first]) + float64(e[first]*e[first])
	b := float64(e[first] * d[first+1])
	// halving is a product to compilers
	half := float64((float64(d[first+1]*d[first+1]) + float64(e[first+1]*e[first+1]) - a) / 2)
	root := math.Sqrt(float64(half*half) + float64(b*b))
	if half < 0 {
		root = -root
	}
	return a - float64(b*b)/(half+root)
}

// rotationOf returns the rotation that takes (f, g) to (r, 0).
func rotationOf(f, g float64) (r, c, s float64) {
	r = math.Sqrt(float64(f*f) + float64(g*g))
	if r == 0 {
		return 0, 1, 0
	}
	return r, f / r, g / r
}
