package schema

import (
	"fmt"
	"slices"
)

// A Kind is the kind of a record.
type Kind string

// The kinds of records, in the order in which an iteration makes them.
const (
	KindObservations Kind = "observations"
	KindTransitions  Kind = "transitions"
	KindRows         Kind = "rows"
	KindFactors      Kind = "factors"
	KindSelection    Kind = "selection"
	KindValue        Kind = "value"
	KindTheta        Kind = "theta"
	KindOption       Kind = "option"
	KindMeasures     Kind = "measures"
)

// KindEvaluation is the kind of records that refer to an iteration but are not part of it.
const KindEvaluation Kind = "evaluation"

// Kinds are all kinds that this program knows.
var Kinds = []Kind{KindObservations, KindTransitions, KindRows, KindFactors, KindSelection, KindValue, KindTheta,
	KindOption, KindMeasures, KindEvaluation}

// recordVersion is the payload layout of every kind, except transitions with states.
const recordVersion = 1

// A Header precedes a record's payload. Shape determines the payload's length.
type Header struct {
	Kind    Kind     `cbor:"kind"`
	Shape   []uint64 `cbor:"shape"`
	Version uint64   `cbor:"version"`
}

// ReadHeader decodes the header of any record and returns it with the record's payload.
func ReadHeader(record []byte) (Header, []byte, error) {
	h, payload, ok := readHeader(record)
	if !ok {
		var err error
		if payload, err = unmarshalFirst(record, &h); err != nil {
			return h, nil, fmt.Errorf("record header: %w", err)
		}
	}
	if !slices.Contains(Kinds, h.Kind) {
		return h, nil, fmt.Errorf("record header: %w: kind %q", ErrVersion, h.Kind)
	}
	if h.Version != recordVersion && (h.Kind != KindTransitions || h.Version != statesVersion) {
		return h, nil, fmt.Errorf("%s record: %w: version %d", h.Kind, ErrVersion, h.Version)
	}
	return h, payload, nil
}

// readHeader decodes a header of the usual form without reflection; ok is false for any
// other.
func readHeader(record []byte) (h Header, payload []byte, ok bool) {
	r := NewCBORReader(record)
	r.ReadMap(3)
	r.ReadKey("kind")
	h.Kind = r.ReadKind()
	r.ReadKey("shape")
	h.Shape = make([]uint64, r.ReadArray(maxDimensions))
	for i := range h.Shape {
		h.Shape[i] = r.ReadUint()
	}
	r.ReadKey("version")
	h.Version = r.ReadUint()
	if r.failed {
		return Header{}, nil, false
	}
	return h, r.rest, true
}

// A Shape is the shape in a record's header, padded with zeros.
type Shape [maxDimensions]uint64

// ReadShape returns the shape of a record.
func ReadShape(record []byte) (s Shape, err error) {
	h, _, err := ReadHeader(record)
	copy(s[:], h.Shape)
	return s, err
}

// maxDimensions is the largest number of dimensions of a record's shape.
const maxDimensions = 4

// newRecordWriter starts a record of the given kind and shape. What is appended next is
// its payload of about size bytes.
func newRecordWriter(kind Kind, size int, shape ...uint64) *recordWriter {
	return newRecordWriterAfter(nil, kind, size, shape...)
}

func newRecordWriterAfter(buf []byte, kind Kind, size int, shape ...uint64) *recordWriter {
	return newVersionedWriter(buf, kind, recordVersion, size, shape...)
}

func newVersionedWriter(buf []byte, kind Kind, version uint64, size int, shape ...uint64) *recordWriter {
	head, err := Marshal(Header{Kind: kind, Shape: shape, Version: version})
	return &recordWriter{buf: append(slices.Grow(buf, len(head)+size), head...), err: err}
}

// finish returns the record's bytes, or the first failure.
func (p *recordWriter) finish(kind Kind) ([]byte, error) {
	if p.err != nil {
		return nil, fmt.Errorf("encode %s record: %w", kind, p.err)
	}
	return p.buf, nil
}

// openRecord checks a record's kind and number of dimensions and returns its shape and a
// reader of its payload.
func openRecord(record []byte, kind Kind, dims int) ([]uint64, *recordReader, error) {
	h, payload, err := ReadHeader(record)
	if err != nil {
		return nil, nil, err
	}
	if h.Kind != kind || len(h.Shape) != dims {
		return nil, nil, fmt.Errorf("%w: a %s record of %d dimensions where a %s record of %d was expected",
			ErrMalformed, h.Kind, len(h.Shape), kind, dims)
	}
	return h.Shape, &recordReader{buf: payload, version: h.Version}, nil
}

// writeCBOR appends v as canonical CBOR.
func (p *recordWriter) writeCBOR(v any) {
	b, err := Marshal(v)
	if err != nil {
		p.fail(err)
		return
	}
	p.buf = append(p.buf, b...)
}

// readCBOR reads one CBOR item into v.
func (u *recordReader) readCBOR(v any) {
	if u.err != nil {
		return
	}
	u.buf, u.err = unmarshalFirst(u.buf, v)
}

func wrapDecodeError(kind Kind, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("decode %s record: %w", kind, err)
}
