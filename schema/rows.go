package schema

import (
	"cmp"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema/wire"
)

// Rows are a dataset D that was recorded elsewhere, without its states: the distinct rows, each with the number of
// times that it occurs in D. The order of D's rows is not kept, since nothing depends on it.
type Rows struct {
	Dims   int
	Total  int64     // rows of D; the sum of Counts
	Rows   []float64 // u×Dims, distinct, in ascending lexicographic order, never −0
	Counts []int64   // u, each at least 1
}

// Encode returns the record's bytes. Shape: [u, dims, total]. Payload: rows f64 ‖ counts u64.
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
	return decodeRecord(record, KindRows, 3, func(u *recordReader) Rows {
		n, dims := u.Shape[0], u.Shape[1]
		u.require(isRowShapeValid(u.Shape))
		return Rows{Dims: int(dims), Total: int64(u.Shape[2]), Rows: u.ReadFloats(n * dims),
			Counts: signed[int64](u.ReadUint64s(n))}
	}, Rows.check)
}

func (r Rows) check() error {
	if err := checkZeros("element", r.Rows); err != nil {
		return err
	}
	return checkSparseRows(r.Dims, r.Total, NewSparseRows(r.Dims, r.Rows), r.Counts)
}

// checkZeros verifies that no number is −0.
func checkZeros(what string, xs []float64) error {
	for i, x := range xs {
		if x == 0 && math.Signbit(x) {
			return fmt.Errorf("%w: %s %d is -0", wire.ErrNotCanonical, what, i)
		}
	}
	return nil
}

// isRowShapeValid reports whether the numbers of distinct rows, features and rows are within bounds.
func isRowShapeValid(shape []uint64) bool {
	return shape[0] <= 1<<40 && shape[1] >= 1 && shape[1] <= maxDims && shape[2] <= 1<<62
}

// signed returns numbers as those of a type with a sign.
func signed[To int32 | int64, From uint32 | uint64](xs []From) []To {
	ys := make([]To, len(xs))
	for i, x := range xs {
		ys[i] = To(x)
	}
	return ys
}

// A SparseRow holds the entries of a row that are not +0, in ascending order of their features.
type SparseRow []RowEntry

// A RowEntry is a feature and its value in a row.
type RowEntry struct {
	Feature int32
	Value   float64
}

// NewSparseRow returns the sparse form of a row.
func NewSparseRow(dense []float64) SparseRow {
	n := 0
	for _, x := range dense {
		if math.Float64bits(x) != 0 {
			n++
		}
	}
	row := make(SparseRow, 0, n)
	for f, x := range dense {
		if math.Float64bits(x) != 0 {
			row = append(row, RowEntry{int32(f), x})
		}
	}
	return row
}

// NewSparseRows returns the sparse rows of a row-major matrix.
func NewSparseRows(dims int, dense []float64) []SparseRow {
	rows := make([]SparseRow, 0, len(dense)/dims)
	for ; len(dense) > 0; dense = dense[dims:] {
		rows = append(rows, NewSparseRow(dense[:dims]))
	}
	return rows
}

// Dense returns a row of dims features, zeros included.
func (s SparseRow) Dense(dims int) []float64 {
	return DenseRows(dims, []SparseRow{s})
}

// DenseRows returns rows of dims features as a row-major matrix.
func DenseRows(dims int, rows []SparseRow) []float64 {
	dense := make([]float64, len(rows)*dims)
	for i, row := range rows {
		for _, e := range row {
			dense[i*dims+int(e.Feature)] = e.Value
		}
	}
	return dense
}

// CompareSparseRows compares rows lexicographically, as [slices.Compare] compares dense ones. It returns −1, 0 or
// 1.
func CompareSparseRows(a, b SparseRow) int {
	for len(a) > 0 || len(b) > 0 {
		var x, y float64
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Feature < b[0].Feature:
			x, a = a[0].Value, a[1:]
		case len(a) == 0 || b[0].Feature < a[0].Feature:
			y, b = b[0].Value, b[1:]
		default:
			x, y, a, b = a[0].Value, b[0].Value, a[1:], b[1:]
		}
		if order := cmp.Compare(x, y); order != 0 {
			return order
		}
	}
	return 0
}

// CountEntries returns the number of the rows' entries.
func CountEntries(rows []SparseRow) (n int) {
	for _, row := range rows {
		n += len(row)
	}
	return n
}

// checkSparseRows verifies the counts, the features and the order of distinct rows.
func checkSparseRows(dims int, total int64, rows []SparseRow, counts []int64) error {
	if err := cmp.Or(checkCounts(total, counts), checkFeatures(dims, rows)); err != nil {
		return err
	}
	for i := 1; i < len(rows); i++ {
		if CompareSparseRows(rows[i-1], rows[i]) >= 0 {
			return fmt.Errorf("%w: row %d is out of order", wire.ErrNotCanonical, i)
		}
	}
	return nil
}

// checkFeatures verifies that each row's features are in ascending order and below dims.
func checkFeatures(dims int, rows []SparseRow) error {
	for i, row := range rows {
		last := int32(-1)
		for _, e := range row {
			if e.Feature <= last || int(e.Feature) >= dims {
				return fmt.Errorf("%w: row %d has feature %d, not between %d and %d", wire.ErrMalformed, i, e.Feature, last, dims)
			}
			last = e.Feature
		}
	}
	return nil
}

// checkCounts verifies that every count is at least 1 and that they add up to total.
func checkCounts(total int64, counts []int64) error {
	var sum int64
	for i, c := range counts {
		if c < 1 || c > total-sum {
			return fmt.Errorf("%w: row %d has count %d; %d rows are left", wire.ErrMalformed, i, c, total-sum)
		}
		sum += c
	}
	if sum != total {
		return fmt.Errorf("%w: counts add up to %d, not to %d rows", wire.ErrMalformed, sum, total)
	}
	return nil
}
