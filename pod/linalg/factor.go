package linalg

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A Factoring is a way to compute the singular value decomposition of a dataset. The spec alone
// decides which one a run takes.
type Factoring int

const (
	// Gram takes the eigenvectors of DᵀD, which is exact where features are whole numbers.
	Gram Factoring = iota
	// Reduced reduces the rows of real numbers to as many as there are features, and takes
	// one-sided Jacobi.
	Reduced
	// Scaled divides each column by its root mean square, and continues like Reduced. Σ and V are
	// those of the scaled D; the rows of the factors are those of D.
	Scaled
	// Symmetric takes the eigenvectors of D itself, which is symmetric and positive semidefinite: its distinct rows
	// with their counts are those of such a matrix, in which the largest entry of each row is on the diagonal.
	Symmetric
	// Bidiagonal reduces the rows of real numbers like Reduced, and takes reflections from both sides and QR steps.
	Bidiagonal
)

func (f Factoring) String() string {
	return [...]string{"Gram", "Reduced", "Scaled", "Symmetric", "Bidiagonal"}[f]
}

// Factor returns the singular value decomposition of D. It decomposes the distinct rows of
// D, each weighted by the square root of its count: they have the Σ and V of D, at a cost
// that does not grow with the number of transitions. U is DVΣ⁺: see [LeftSingularRow].
func Factor(ctx context.Context, how Factoring, d Dataset) (schema.Factors, error) {
	return NewDecomposition(how, d).Run(func(int64, int64) error { return ctx.Err() })
}

// Run computes the rest of the decomposition and returns the factors. Every few milliseconds it calls tick between two
// steps, with the approximate work done and the total, and stops if tick returns an error. It also returns an error for
// a malformed state, or if the method does not converge.
func (d *Decomposition) Run(tick func(done, total int64) error) (schema.Factors, error) {
	d.watch.tick = tick
	if err := tick(0, 1); err != nil {
		return schema.Factors{}, err
	}
	sigma, v, err := d.decompose()
	if err != nil {
		return schema.Factors{}, err
	}
	data := d.data
	f := schema.Factors{
		Dims: data.Dims, Rows: WithoutZeros(data.Rows), Counts: data.Counts, Sigma: sigma,
		V: make([]float64, data.Dims*len(v)), Columns: data.Columns, AllFeatures: data.AllFeatures, Centred: data.Centred,
	}
	for j, column := range v {
		for i, x := range column {
			f.V[i*len(v)+j] = x
		}
	}
	for _, c := range data.Counts {
		f.Total += c
	}
	isUnit := func(column []float64) bool { return math.Abs(Norm(column)-1) < 1e-6 }
	if d.resumed != nil && (!areFinite(packFloats(f.Sigma)) ||
		slices.ContainsFunc(v, func(column []float64) bool { return !isUnit(column) })) {
		return f, errDecompositionState // it was resumed from a forged state
	}
	return f, nil
}

// decompose returns σ and the columns of V.
func (d *Decomposition) decompose() (sigma []float64, v [][]float64, err error) {
	if d.data.Top > 0 {
		return d.factorTop()
	}
	switch d.how {
	case Gram:
		return d.factorGram()
	case Symmetric:
		return d.factorSymmetric()
	case Bidiagonal:
		return d.factorBidiagonal()
	case Scaled:
		return d.factorReduced(d.data.Scaled())
	}
	return d.factorReduced(d.data)
}

// areFinite reports whether all numbers in bytes of [packFloats] are finite.
func areFinite(b []byte) bool {
	for ; len(b) > 0; b = b[8:] {
		if x := math.Float64frombits(binary.LittleEndian.Uint64(b)); math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// WithoutZeros returns rows without entries of −0.
func WithoutZeros(rows []schema.SparseRow) []schema.SparseRow {
	rows = slices.Clone(rows)
	isZero := func(e schema.RowEntry) bool { return e.Value == 0 }
	for i, row := range rows {
		if slices.ContainsFunc(row, isZero) {
			rows[i] = slices.DeleteFunc(slices.Clone(row), isZero)
		}
	}
	return rows
}

// LeftSingularRow returns the row of DVΣ⁺ that belongs to a row of D.
func LeftSingularRow(f schema.Factors, row schema.SparseRow) []float64 {
	k := f.Directions()
	u := make([]float64, k)
	for _, e := range row {
		for j, x := range f.V[int(e.Feature)*k : (int(e.Feature)+1)*k] {
			u[j] += float64(e.Value * x)
		}
	}
	for j, s := range f.Sigma {
		if s > 0 {
			u[j] /= s
		} else {
			u[j] = 0
		}
	}
	return u
}

// EstimateMemory returns the approximate memory, in bytes, for factoring a D with the given numbers of features, of
// features that ever change, distinct rows and nonzero entries. That is V by rows and in the record; DᵀD or R, what it
// takes to decompose them, and V by columns, of the features that change; and D's entries in the record; with [Scaled]
// also those of the scaled D.
func (f Factoring) EstimateMemory(dims, live, rows, entries int64) int64 {
	if f != Gram && f != Symmetric {
		live = dims // R is scattered over all features
	}
	vectors := 8 * (2*dims*dims + 4*live*live)
	if f == Scaled {
		return vectors + 56*(rows+entries)
	}
	return vectors + 32*(rows+entries)
}

// squareWork returns about the work of decomposing a matrix of n columns, and of as many rows once they are reduced.
func (f Factoring) squareWork(n int) float64 {
	switch f {
	case Gram, Symmetric:
		return cube(n) * (tridiagonaliseWork + diagonaliseWork)
	case Bidiagonal:
		return cube(n) * (bidiagonaliseWork + diagonaliseWork)
	}
	return 2 * 3 * usualSweeps * cube(n)
}
