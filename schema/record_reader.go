package schema

import (
	"fmt"

	"github.com/podtrack/podtrack/schema/wire"
)

// A recordReader reads the payload of a record of a kind and version.
type recordReader struct {
	wire.ArrayReader
	kind    Kind
	Version uint64
}

// openRecord checks a record's kind and number of dimensions and returns its shape and a
// reader of its payload.
func openRecord(record []byte, kind Kind, dims int) ([]uint64, *recordReader, error) {
	h, payload, err := readHeader(record)
	if err != nil {
		return nil, nil, err
	}
	if h.Kind != kind || len(h.Shape) != dims {
		return nil, nil, fmt.Errorf("%w: a %s record of %d dimensions where a %s record of %d was expected",
			wire.ErrMalformed, h.Kind, len(h.Shape), kind, dims)
	}
	return h.Shape, &recordReader{wire.NewArrayReader(payload), kind, h.Version}, nil
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

// finishRecord returns v, which was read from the record, and the error of check. If bytes are missing or left
// over, it returns the zero value and the first failure instead: the arrays of v may then be shorter than check
// expects.
func finishRecord[T any](r *recordReader, v T, check func() error) (T, error) {
	if err := r.End(); err != nil {
		var none T
		return none, r.Wrap(err)
	}
	return v, r.Wrap(check())
}

// Wrap adds the kind of the record to err. It returns nil for nil.
func (r *recordReader) Wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("decode %s record: %w", r.kind, err)
}

func (r *recordReader) refuseShape(shape []uint64) error {
	return r.Wrap(fmt.Errorf("%w: shape %v", wire.ErrMalformed, shape))
}
