package schema

import (
	"cmp"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema/wire"
)

// Factors are the singular value decomposition D = U Σ Vᵀ of a dataset D of Total rows and
// Dims columns. Rows are stored once each, and U not at all: it is DVΣ⁺.
type Factors struct {
	Dims   int
	Total  int64       // rows of D; the sum of Counts
	Rows   []SparseRow // u, distinct, in ascending lexicographic order
	Counts []int64     // u, each at least 1
	Sigma  []float64   // k, descending: Dims, or fewer if only the first directions were computed
	V      []float64   // Dims×k, row-major; column j belongs to Sigma[j]

	// Columns are the features that the columns of D stand for, in ascending order, if D has only some of the
	// AllFeatures features; nil if column i is feature i.
	Columns     []int32
	AllFeatures int

	// Centred is true if D is the matrix of Rows less the mean of each over the columns that are not 0, which only that
	// of partial factors can be.
	Centred bool
}

// Directions returns the number of directions, which is that of V's columns.
func (f Factors) Directions() int { return len(f.Sigma) }

// IsPartial reports whether only the first directions were computed: V is not square.
func (f Factors) IsPartial() bool { return len(f.Sigma) < f.Dims }

// Features returns the number of features, which is the length of a purpose's vector.
func (f Factors) Features() int {
	if f.Columns == nil {
		return f.Dims
	}
	return f.AllFeatures
}

// FeatureOf returns the feature that a column stands for.
func (f Factors) FeatureOf(column int) int32 {
	if f.Columns == nil {
		return int32(column)
	}
	return f.Columns[column]
}

// Distinct returns the number of distinct rows.
func (f Factors) Distinct() int { return len(f.Counts) }

// Row returns the i-th distinct row, zeros included.
func (f Factors) Row(i int) []float64 { return f.Rows[i].Dense(f.Dims) }

// Encode returns the record's bytes.
//
// Without Columns it has version 2 and the shape [u, dims, total, n], where n is the number of the rows' entries.
// Payload: entries of each row u32 ‖ features u32 ‖ values f64 ‖ counts u64 ‖ sigma f64 ‖ V f64.
//
// With Columns it has version 3 and the shape [u, all features, total, n, dims]. Payload: columns
// u32, and then as in version 2, where the entries' features are columns.
//
// If the factors are partial it has version 4 and the shape [u, all features, total, n, dims, k, form], where form is 1
// with Columns, plus 2 if D is centred. Payload: columns u32 if there are any, and then as in version 2.
func (f Factors) Encode() ([]byte, error) {
	if err := f.checkLengths(); err != nil {
		return nil, fmt.Errorf("encode factors record: %w", err)
	}
	p := f.newWriter()
	for _, c := range f.Counts {
		p.WriteUint64s(uint64(c))
	}
	p.WriteFloats(f.Sigma)
	p.WriteFloats(f.V)
	return p.Finish(KindFactors)
}

func (f Factors) newWriter() (p *recordWriter) {
	rows, dims, total := uint64(len(f.Rows)), uint64(f.Dims), uint64(f.Total)
	entries := CountEntries(f.Rows)
	size := 4*(len(f.Rows)+len(f.Columns)) + 12*entries + 8*(len(f.Counts)+len(f.Sigma)+len(f.V))
	version, shape := uint64(sparseVersion), []uint64{rows, uint64(f.Features()), total, uint64(entries)}
	switch {
	case f.IsPartial():
		version, shape = partialVersion, append(shape, dims, uint64(f.Directions()), f.form())
	case f.Columns != nil:
		version, shape = columnVersion, append(shape, dims)
	}
	p = newVersionedWriter(nil, KindFactors, version, size, shape...)
	for _, c := range f.Columns {
		p.WriteUint32s(uint32(c))
	}
	p.writeSparseRows(f.Rows)
	return p
}

const (
	namedColumns = 1
	centredRows  = 2
)

// form returns the form of partial factors: namedColumns if Columns is not nil, and centredRows if D is centred.
func (f Factors) form() (form uint64) {
	if f.Columns != nil {
		form |= namedColumns
	}
	if f.Centred {
		form |= centredRows
	}
	return form
}

// DecodeFactors decodes what [Factors.Encode] returns.
func DecodeFactors(record []byte) (Factors, error) {
	h, _, err := readHeader(record)
	if err != nil {
		return Factors{}, err
	}
	dimensions := map[uint64]int{sparseVersion: 4, columnVersion: 5, partialVersion: 7}[h.Version]
	return decodeRecord(record, KindFactors, dimensions, (*recordReader).readFactors, Factors.check)
}

// isPartialShapeValid reports whether there are fewer directions than columns, and the form fits their number.
func isPartialShapeValid(features, columns, directions, form uint64) bool {
	return directions >= 1 && directions < columns && form <= namedColumns|centredRows &&
		(form&namedColumns != 0 || columns == features)
}

func (r *recordReader) readFactors() Factors {
	shape := r.Shape
	r.require(isRowShapeValid(shape) && (len(shape) == 4 || shape[4] >= 1 && shape[4] <= shape[1]) &&
		(r.Version != partialVersion || isPartialShapeValid(shape[1], shape[4], shape[5], shape[6])))
	rows, dims, directions, form := shape[0], shape[1], shape[1], uint64(0)
	f := Factors{Total: int64(shape[2])}
	switch r.Version {
	case columnVersion:
		dims, directions, form = shape[4], shape[4], namedColumns
	case partialVersion:
		dims, directions, form = shape[4], shape[5], shape[6]
	}
	if form&namedColumns != 0 {
		f.AllFeatures = int(shape[1])
		f.Columns = signed[int32](r.ReadUint32s(dims)) // one that is too large is below 0
	}
	f.Centred = form&centredRows != 0
	f.Dims = int(dims)
	f.Rows = r.readSparseRows(rows, dims, shape[3])
	f.Counts = signed[int64](r.ReadUint64s(rows))
	f.Sigma = r.ReadFloats(directions)
	f.V = r.ReadFloats(dims * directions)
	return f
}

func (f Factors) check() error {
	if err := cmp.Or(f.checkColumns(), checkSparseRows(f.Dims, f.Total, f.Rows, f.Counts)); err != nil {
		return err
	}
	for j, s := range f.Sigma {
		if math.Signbit(s) || j > 0 && s > f.Sigma[j-1] {
			return fmt.Errorf("%w: singular value %d is out of order", wire.ErrNotCanonical, j)
		}
	}
	return nil
}

func (f Factors) checkLengths() error {
	u, d := len(f.Counts), f.Dims
	if k := f.Directions(); len(f.Rows) != u || k < min(d, 1) || k > d || len(f.V) != d*k || f.Centred && k == d {
		return fmt.Errorf("%w: %d rows of %d features do not fit their factors", wire.ErrMalformed, u, d)
	}
	if max(d, f.AllFeatures) > maxDims {
		return fmt.Errorf("%w: factors of %d features, more than %d", wire.ErrMalformed, max(d, f.AllFeatures), maxDims)
	}
	return cmp.Or(f.checkColumns(), checkFeatures(d, f.Rows))
}

// checkColumns verifies that the columns are features, in ascending order.
func (f Factors) checkColumns() error {
	if f.Columns == nil {
		return nil
	}
	last := int32(-1)
	for i, c := range f.Columns {
		if c <= last || int(c) >= f.AllFeatures {
			return fmt.Errorf("%w: column %d is feature %d, not between %d and %d", wire.ErrMalformed, i, c, last, f.AllFeatures)
		}
		last = c
	}
	if len(f.Columns) != f.Dims {
		return fmt.Errorf("%w: %d columns, expected %d", wire.ErrMalformed, len(f.Columns), f.Dims)
	}
	return nil
}
