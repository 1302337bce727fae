package schema

import (
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema/wire"
)

// A recordWriter writes a record: its header, then its payload.
type recordWriter struct{ wire.ArrayWriter }

// newRecordWriter starts a record of the given kind and shape. The caller then writes the payload, of about
// size bytes.
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
	values := make([]float64, 0, countEntries(rows))
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
