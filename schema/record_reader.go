package schema

import "fmt"

// A recordReader reads the payload of a record.
type recordReader struct {
	arrayReader
	version uint64 // of the record
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
			ErrMalformed, h.Kind, len(h.Shape), kind, dims)
	}
	return h.Shape, &recordReader{newArrayReader(payload), h.Version}, nil
}

// sparseRows reads n rows, of which so many numbers are not 0.
func (u *recordReader) sparseRows(n, dims, entries uint64) []SparseRow {
	lengths, features, values := u.readUint32s(n), u.readUint32s(entries), u.readFloats(entries)
	if u.failed() {
		return nil
	}
	all, rows := make([]RowEntry, entries), make([]SparseRow, n)
	for i := range all {
		if uint64(features[i]) >= dims || values[i] == 0 {
			u.fail(fmt.Errorf("%w: entry %d is %v of feature %d of %d", ErrMalformed, i, values[i], features[i], dims))
			return nil
		}
		all[i] = RowEntry{int32(features[i]), values[i]}
	}
	for i, length := range lengths {
		if uint64(length) > uint64(len(all)) {
			u.fail(fmt.Errorf("%w: row %d of %d entries, of which %d are left", ErrMalformed, i, length, len(all)))
			return nil
		}
		rows[i], all = all[:length:length], all[length:]
	}
	if len(all) > 0 {
		u.fail(fmt.Errorf("%w: %d entries belong to no row", ErrMalformed, len(all)))
	}
	return rows
}

func wrapDecodeError(kind Kind, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("decode %s record: %w", kind, err)
}
