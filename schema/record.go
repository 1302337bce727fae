package schema

import (
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema/wire"
)

// recordVersion is the version of the payload's layout of every kind, except factors, transitions with states,
// and selections that choose signs.
const recordVersion = 1

const (
	statesVersion  = 2 // of transitions with states
	sparseVersion  = 2 // of factors, whose rows are sparse
	columnVersion  = 3 // of factors of some of the features
	partialVersion = 4 // of factors of some of the directions
	signedVersion  = 2 // of selections that choose a sign
)

// maxDims is the largest number of features that a record may have, so that no product of two of them overflows.
const maxDims = 1 << 20

// MaxRecordFeatures is the largest number of features that a record may have.
const MaxRecordFeatures = maxDims

// A header precedes a record's payload. Its shape determines the payload's length.
type header struct {
	Kind    Kind     `cbor:"kind"`
	Shape   []uint64 `cbor:"shape"`
	Version uint64   `cbor:"version"`
}

// ReadKind returns the kind of a record from its header.
func ReadKind(record []byte) (Kind, error) {
	h, _, err := readHeader(record)
	return h.Kind, err
}

// readHeader decodes the header of any record and returns it with the record's payload.
func readHeader(record []byte) (header, []byte, error) {
	var h header
	payload, err := wire.UnmarshalFirst(record, &h)
	if err != nil {
		return h, nil, fmt.Errorf("record header: %w", err)
	}
	if !slices.Contains(Kinds, h.Kind) {
		return h, nil, fmt.Errorf("record header: %w: kind %q", wire.ErrVersion, h.Kind)
	}
	if !isLayoutKnown(h.Kind, h.Version) {
		return h, nil, fmt.Errorf("%s record: %w: version %d", h.Kind, wire.ErrVersion, h.Version)
	}
	return h, payload, nil
}

func isLayoutKnown(kind Kind, version uint64) bool {
	if kind == KindFactors {
		return version >= sparseVersion && version <= partialVersion
	}
	return version == recordVersion || kind == KindTransitions && version == statesVersion ||
		kind == KindSelection && version == signedVersion
}

// A Shape is the shape in a record's header, padded with zeros.
type Shape [maxDimensions]uint64

// ReadShape returns the shape of a record.
func ReadShape(record []byte) (s Shape, err error) {
	h, _, err := readHeader(record)
	copy(s[:], h.Shape)
	return s, err
}

const maxDimensions = 7

// A Kind is the kind of a record.
type Kind string

// The kinds of records, in the order in which an iteration makes them.
const (
	KindObservations Kind = "observations"
	KindTransitions  Kind = "transitions"
	KindRewards      Kind = "rewards"
	KindRows         Kind = "rows"
	KindFactors      Kind = "factors"
	KindSelection    Kind = "selection"
	KindValue        Kind = "value"
	KindTheta        Kind = "theta"
	KindOption       Kind = "option"
	KindMeasures     Kind = "measures"

	KindExternalMeasures Kind = "external_measures"
)

// Kinds are all kinds that this program knows.
var Kinds = []Kind{KindObservations, KindTransitions, KindRewards, KindRows, KindFactors, KindSelection, KindValue,
	KindTheta, KindOption, KindMeasures, KindExternalMeasures}

// Decode decodes a record of the given kind, one of those that an iteration can have.
func Decode(kind Kind, record []byte) (any, error) {
	switch kind {
	case KindObservations:
		return DecodeObservations(record)
	case KindTransitions:
		return DecodeTransitions(record)
	case KindRewards:
		return DecodeRewards(record)
	case KindRows:
		return DecodeRows(record)
	case KindFactors:
		return DecodeFactors(record)
	case KindSelection:
		return DecodeSelection(record)
	case KindValue:
		return DecodeValue(record)
	case KindTheta:
		return DecodeTheta(record)
	case KindOption:
		return DecodeOption(record)
	case KindMeasures:
		return DecodeMeasures(record)
	case KindExternalMeasures:
		return DecodeExternalMeasures(record)
	}
	return nil, fmt.Errorf("%w: kind %q", wire.ErrVersion, kind)
}

// CheckRecord returns the error that [Decode] would return for the record. For the kinds with large tables it
// does not allocate them.
func CheckRecord(kind Kind, record []byte) error {
	var err error
	switch kind {
	case KindValue:
		_, err = checkValue(record)
	case KindTheta:
		_, _, err = checkTheta(record)
	case KindOption:
		_, err = checkOption(record)
	default:
		_, err = Decode(kind, record)
	}
	return err
}

type recordReader struct {
	wire.ArrayReader
	header
}

// decodeRecord decodes a record of a kind, whose shape has that many dimensions. read returns what its payload has;
// check, unless nil, verifies it if no bytes were missing or left over: until then its arrays may be too short.
func decodeRecord[T any](
	record []byte, kind Kind, dims int, read func(*recordReader) T, check func(T) error,
) (v T, err error) {
	h, payload, err := readHeader(record)
	if err != nil {
		return v, err
	}
	if h.Kind != kind || len(h.Shape) != dims {
		return v, fmt.Errorf("%w: a %s record of %d dimensions where a %s record of %d was expected",
			wire.ErrMalformed, h.Kind, len(h.Shape), kind, dims)
	}
	r := &recordReader{wire.NewArrayReader(payload), h}
	got := read(r)
	if err = r.End(); err == nil {
		v = got
		if check != nil {
			err = check(v)
		}
	}
	if err != nil {
		err = fmt.Errorf("decode %s record: %w", kind, err)
	}
	return v, err
}

// require fails unless the record's shape is valid. What is read after that is empty.
func (r *recordReader) require(valid bool) {
	if !valid {
		r.Fail(fmt.Errorf("%w: shape %v", wire.ErrMalformed, r.Shape))
	}
}

// readSparseRows reads n rows with the given number of entries in total.
func (r *recordReader) readSparseRows(n, dims, entries uint64) []SparseRow {
	lengths, features, values := r.ReadUint32s(n), r.ReadUint32s(entries), r.ReadFloats(entries)
	if r.Failed() {
		return nil
	}
	all, rows := make([]RowEntry, entries), make([]SparseRow, n)
	for i := range all {
		if uint64(features[i]) >= dims || values[i] == 0 {
			r.Fail(fmt.Errorf("%w: entry %d is %v of feature %d; rows have %d", wire.ErrMalformed, i, values[i], features[i],
				dims))
			return nil
		}
		all[i] = RowEntry{int32(features[i]), values[i]}
	}
	for i, length := range lengths {
		if uint64(length) > uint64(len(all)) {
			r.Fail(fmt.Errorf("%w: row %d has %d entries, but only %d are left", wire.ErrMalformed, i, length, len(all)))
			return nil
		}
		rows[i], all = all[:length:length], all[length:]
	}
	if len(all) > 0 {
		r.Fail(fmt.Errorf("%w: %d entries belong to no row", wire.ErrMalformed, len(all)))
	}
	return rows
}

// A recordWriter writes a record: its header, then its payload.
type recordWriter struct{ wire.ArrayWriter }

// newRecordWriter starts a record of the given kind and shape. The caller then writes the payload, of about size bytes.
func newRecordWriter(kind Kind, size int, shape ...uint64) *recordWriter {
	return newVersionedWriter(nil, kind, recordVersion, size, shape...)
}

// newVersionedWriter starts a record of the given version after what buf holds already.
func newVersionedWriter(buf []byte, kind Kind, version uint64, size int, shape ...uint64) *recordWriter {
	head, err := wire.Marshal(header{Kind: kind, Shape: shape, Version: version})
	p := &recordWriter{wire.NewArrayWriter(append(slices.Grow(buf, len(head)+size), head...))}
	if err != nil {
		p.Fail(err)
	}
	return p
}

// writeSparseRows appends the number of entries of each row, their features, and their values.
func (r *recordWriter) writeSparseRows(rows []SparseRow) {
	for _, row := range rows {
		r.WriteUint32s(uint32(len(row)))
	}
	values := make([]float64, 0, CountEntries(rows))
	for _, row := range rows {
		for _, e := range row {
			r.WriteUint32s(uint32(e.Feature))
			values = append(values, e.Value)
		}
	}
	r.WriteFloats(values)
}

// Finish returns the record's bytes, or the first failure.
func (r *recordWriter) Finish(kind Kind) ([]byte, error) {
	record, err := r.Bytes()
	if errors.Is(err, wire.ErrNoEncoding) {
		err = Hint(err, "a result overflowed: scale observations, or the data that were imported, "+
			"to less than 1e150")
	}
	if err != nil {
		return nil, fmt.Errorf("encode %s record: %w", kind, err)
	}
	return record, nil
}
