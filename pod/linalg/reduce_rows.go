package linalg

import (
	"math"

	"github.com/podtrack/podtrack/schema"
)

// reducedRows is the number of rows that are reduced at a time.
const reducedRows = 256

// factorReduced returns σ and the columns of V of a D of real numbers, of any scale. If D has
// more distinct rows than features, an orthogonal transformation first reduces it to the
// triangular factor R of D = QR, which has the same Σ and V; one-sided Jacobi does the rest.
func (d *Decomposition) factorReduced(data Dataset) (sigma []float64, v [][]float64, err error) {
	scale := powerOfTwoNear(LargestOf(data.Rows))
	sigma, v, err = d.svd(func() ([][]float64, error) { return d.reducedColumns(data, scale) })
	for j := range sigma {
		sigma[j] = float64(sigma[j] * scale)
		fixSign(v[j], nearlyLargest)
	}
	return sigma, v, err
}

// reducedColumns returns the columns of a matrix with the Σ and V of D divided by scale, which has no more rows than
// columns.
func (d *Decomposition) reducedColumns(data Dataset, scale float64) ([][]float64, error) {
	if len(data.Rows) > data.Dims {
		return d.reduceRows(data, scale)
	}
	return weightedColumns(data.Dims, data, 0, len(data.Rows), scale, func(f int32) int { return int(f) }), nil
}

// weightedColumns returns n columns of some of D's distinct rows, each row divided by scale and times the root of its
// count. A feature that changes is in the column that place returns.
func weightedColumns(n int, d Dataset, from, to int, scale float64, place func(feature int32) int) [][]float64 {
	columns := newMatrix(n, to-from)
	for i, row := range d.Rows[from:to] {
		weight := math.Sqrt(float64(d.Counts[from+i]))
		for _, e := range row {
			columns[place(e.Feature)][i] = float64(weight * (e.Value / scale))
		}
	}
	return columns
}

// reduceRows returns the columns of the triangular factor of D. Householder reflections (Golub & Van Loan, 4th ed.,
// §5.2.2) add the rows one block at a time, so that the memory does not grow with their number. It can be resumed
// between two blocks.
//
// The reflections do not change columns of zeros, or the corresponding rows of R. So only the columns of features that
// change are computed.
func (d *Decomposition) reduceRows(data Dataset, scale float64) ([][]float64, error) {
	live, place := data.findLive()
	r, w, from := NewSquare(len(live)), &d.watch, 0 // columns
	if s := d.resumed; s != nil {
		if len(s.Columns) != 8*len(live)*len(live) {
			return nil, errDecompositionState
		}
		from, r = s.Rows, unpackFloats(s.Columns, len(live), len(live))
	}
	rowWork := float64(2 * float64(len(live)) * float64(len(live)))
	w.done = float64(float64(from) * rowWork)
	w.total = float64(float64(len(data.Rows))*rowWork) + d.how.squareWork(len(live))
	for ; from < len(data.Rows); from += reducedRows {
		d.current = reductionState(r, from)
		block := weightedColumns(len(live), data, from, min(from+reducedRows, len(data.Rows)), scale,
			func(f int32) int { return place[f] - 1 })
		for k := range block {
			reflectColumns(r, block, k)
			if err := w.advance(4 * float64(len(block[k])) * float64(len(block)-k)); err != nil {
				return nil, err
			}
		}
	}
	all := NewSquare(data.Dims)
	for i, column := range r {
		for j, x := range column {
			all[live[i]][live[j]] = x
		}
	}
	return all, nil
}

// reductionState returns a function for the state before the block that begins at row from. It stays valid while that
// block changes r. The state is nil before the first block, and if r is too large to keep.
func reductionState(r [][]float64, from int) func() *decompositionState {
	if n := int64(len(r)); from == 0 || n*n > maxDecompositionState/8 {
		return nil
	}
	s := &decompositionState{Rows: from, Columns: packFloats(r...)}
	return func() *decompositionState { return s }
}

// reflectColumns clears column k of the block by a reflection of row k of R and the rows of the
// block.
func reflectColumns(r, block [][]float64, k int) {
	v := block[k]
	diagonal, first, s := reflectionOf(r[k][k], Dot(v, v))
	if s == 0 {
		return
	}
	r[k][k] = diagonal
	for j := k + 1; j < len(block); j += 4 {
		some := block[j:min(j+4, len(block))]
		for i, product := range dots(v, some) {
			if i == len(some) {
				break
			}
			p := float64(s * (float64(first*r[j+i][k]) + product))
			r[j+i][k] -= float64(p * first)
			subtractMultiple(some[i], v, p)
		}
	}
}

// powerOfTwoNear returns a power of two near a magnitude, or 1 for 0. Dividing and multiplying by it changes no bit and
// keeps squares from overflowing.
func powerOfTwoNear(largest float64) float64 {
	if largest == 0 {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, min(max(exponent, -1000), 1000))
}

// LargestOf returns the largest magnitude in rows.
func LargestOf(rows []schema.SparseRow) float64 {
	largest := 0.0
	for _, row := range rows {
		for _, e := range row {
			largest = max(largest, math.Abs(e.Value))
		}
	}
	return largest
}
