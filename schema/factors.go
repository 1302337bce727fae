package schema

import (
	"fmt"
	"math"
)

// Factors are the singular value decomposition of a dataset D of Total rows and
// Dims columns, kept by its distinct rows: D's row that equals Rows[i] has the
// left singular row U[i]. D = U Σ Vᵀ.
type Factors struct {
	Dims   int
	Total  int64     // rows of D; the sum of Counts
	Rows   []float64 // u×Dims, distinct, in ascending lexicographic order
	Counts []int64   // u, each at least 1
	Sigma  []float64 // Dims, descending
	V      []float64 // Dims×Dims, row-major; column j belongs to Sigma[j]
	U      []float64 // u×Dims; a column of Sigma 0 is zero
}

// Distinct is the number of distinct rows.
func (f Factors) Distinct() int { return len(f.Counts) }

// Row is the i-th distinct row.
func (f Factors) Row(i int) []float64 { return f.Rows[i*f.Dims : (i+1)*f.Dims] }

// Encode gives the record's bytes. Shape: [u, dims, total]. Payload: rows f64 ‖
// counts u64 ‖ sigma f64 ‖ V f64 ‖ U f64.
func (f Factors) Encode() ([]byte, error) {
	if err := f.checkLengths(); err != nil {
		return nil, fmt.Errorf("encode factors record: %w", err)
	}
	p := begin(KindFactors, 8*(len(f.Rows)+len(f.Counts)+len(f.Sigma)+len(f.V)+len(f.U)),
		uint64(len(f.Counts)), uint64(f.Dims), uint64(f.Total))
	p.floats(f.Rows)
	for _, c := range f.Counts {
		p.uint64s(uint64(c))
	}
	p.floats(f.Sigma)
	p.floats(f.V)
	p.floats(f.U)
	return p.finish(KindFactors)
}

// maxDims bounds the features that a record may claim, so that no product of
// them overflows.
const maxDims = 1 << 20

// DecodeFactors is the inverse of [Factors.Encode].
func DecodeFactors(record []byte) (Factors, error) {
	shape, u, err := open(record, KindFactors, 3)
	if err != nil {
		return Factors{}, err
	}
	rows, dims := shape[0], shape[1]
	if rows > 1<<40 || dims < 1 || dims > maxDims || shape[2] > 1<<62 {
		return Factors{}, decodeFailure(KindFactors, fmt.Errorf("%w: shape %v", ErrMalformed, shape))
	}
	f := Factors{Dims: int(dims), Total: int64(shape[2])}
	f.Rows = u.floats(rows * dims)
	f.Counts = signed(u.uint64s(rows))
	f.Sigma = u.floats(dims)
	f.V = u.floats(dims * dims)
	f.U = u.floats(rows * dims)
	if err := u.end(); err != nil {
		return Factors{}, decodeFailure(KindFactors, err)
	}
	return f, decodeFailure(KindFactors, f.check())
}

func signed(xs []uint64) []int64 {
	ys := make([]int64, len(xs))
	for i, x := range xs {
		ys[i] = int64(x)
	}
	return ys
}

// check verifies the counts and the order of rows and singular values.
func (f Factors) check() error {
	var total int64
	for i, c := range f.Counts {
		if c < 1 || c > f.Total-total {
			return fmt.Errorf("%w: row %d of %d counts %d times", ErrMalformed, i, f.Total, c)
		}
		total += c
		if i > 0 && CompareRows(f.Row(i-1), f.Row(i)) >= 0 {
			return fmt.Errorf("%w: row %d is out of order", ErrNotCanonical, i)
		}
	}
	if total != f.Total {
		return fmt.Errorf("%w: counts add up to %d of %d rows", ErrMalformed, total, f.Total)
	}
	for j, s := range f.Sigma {
		if math.Signbit(s) || j > 0 && s > f.Sigma[j-1] {
			return fmt.Errorf("%w: singular value %d is out of order", ErrNotCanonical, j)
		}
	}
	return nil
}

func (f Factors) checkLengths() error {
	u, d := len(f.Counts), f.Dims
	if len(f.Rows) != u*d || len(f.Sigma) != d || len(f.V) != d*d || len(f.U) != u*d {
		return fmt.Errorf("%w: %d rows of %d features do not fit their factors", ErrMalformed, u, d)
	}
	return nil
}

// CompareRows orders rows of equal length lexicographically.
func CompareRows(a, b []float64) int {
	for i := range a {
		switch {
		case a[i] < b[i]:
			return -1
		case a[i] > b[i]:
			return 1
		}
	}
	return 0
}
