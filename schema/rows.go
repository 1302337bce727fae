package schema

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema/wire"
)

// Rows are a dataset D that was recorded elsewhere, without its states: the distinct rows,
// each with the number of times that it occurs in D. The order of D's rows is not kept,
// since nothing depends on it.
type Rows struct {
	Dims   int
	Total  int64     // rows of D; the sum of Counts
	Rows   []float64 // u×Dims, distinct, in ascending lexicographic order, never −0
	Counts []int64   // u, each at least 1
}

// Encode returns the record's bytes. Shape: [u, dims, total]. Payload: rows f64 ‖ counts
// u64.
func (r Rows) Encode() ([]byte, error) {
	if len(r.Rows) != len(r.Counts)*r.Dims {
		return nil, fmt.Errorf("encode rows record: %w: %d numbers in %d rows of %d features", wire.ErrMalformed,
			len(r.Rows), len(r.Counts), r.Dims)
	}
	p := newRecordWriter(KindRows, 8*(len(r.Rows)+len(r.Counts)), uint64(len(r.Counts)), uint64(r.Dims),
		uint64(r.Total))
	p.WriteFloats(r.Rows)
	for _, c := range r.Counts {
		p.WriteUint64s(uint64(c))
	}
	return p.Finish(KindRows)
}

// DecodeRows decodes what [Rows.Encode] returns.
func DecodeRows(record []byte) (Rows, error) {
	shape, u, err := openRecord(record, KindRows, 3)
	if err != nil {
		return Rows{}, err
	}
	if !isRowShapeValid(shape) {
		return Rows{}, u.refuseShape(shape)
	}
	r := Rows{Dims: int(shape[1]), Total: int64(shape[2])}
	r.Rows = u.ReadFloats(shape[0] * shape[1])
	r.Counts = toInt64s(u.ReadUint64s(shape[0]))
	return finishRecord(u, r, r.check)
}

func (r Rows) check() error {
	for i, x := range r.Rows {
		if x == 0 && math.Signbit(x) {
			return fmt.Errorf("%w: element %d is -0", wire.ErrNotCanonical, i)
		}
	}
	return checkRows(r.Dims, r.Total, r.Rows, r.Counts)
}

// isRowShapeValid reports whether the numbers of distinct rows, features and rows are
// within bounds.
func isRowShapeValid(shape []uint64) bool {
	return shape[0] <= 1<<40 && shape[1] >= 1 && shape[1] <= maxDims && shape[2] <= 1<<62
}

// checkRows verifies the counts and the order of distinct rows.
func checkRows(dims int, total int64, rows []float64, counts []int64) error {
	if err := checkCounts(total, counts); err != nil {
		return err
	}
	for i := 1; i < len(counts); i++ {
		if CompareRows(rows[(i-1)*dims:i*dims], rows[i*dims:(i+1)*dims]) >= 0 {
			return fmt.Errorf("%w: row %d is out of order", wire.ErrNotCanonical, i)
		}
	}
	return nil
}

// CompareRows compares rows of equal length lexicographically. It returns −1, 0 or 1.
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

func toInt64s(xs []uint64) []int64 {
	ys := make([]int64, len(xs))
	for i, x := range xs {
		ys[i] = int64(x)
	}
	return ys
}
