package schema

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A recordWriter appends little-endian arrays to buf. It keeps its first failure in err.
type recordWriter struct {
	buf []byte
	err error
}

// newRecordWriter starts a record of the given kind and shape. What is appended next is
// its payload of about size bytes.
func newRecordWriter(kind Kind, size int, shape ...uint64) *recordWriter {
	return newRecordWriterAfter(nil, kind, size, shape...)
}

func newRecordWriterAfter(buf []byte, kind Kind, size int, shape ...uint64) *recordWriter {
	return newVersionedWriter(buf, kind, recordVersion, size, shape...)
}

func newVersionedWriter(buf []byte, kind Kind, version uint64, size int, shape ...uint64) *recordWriter {
	head, err := Marshal(header{Kind: kind, Shape: shape, Version: version})
	return &recordWriter{buf: append(slices.Grow(buf, len(head)+size), head...), err: err}
}

func (p *recordWriter) floats(xs []float64) {
	start := len(p.buf)
	p.buf = slices.Grow(p.buf, 8*len(xs))[:start+8*len(xs)]
	out, bad := p.buf[start:], 0
	for _, x := range xs {
		b := math.Float64bits(x)
		if b&exponentMask == exponentMask {
			bad++
		}
		binary.LittleEndian.PutUint64(out, b)
		out = out[8:]
	}
	if bad > 0 {
		i := slices.IndexFunc(xs, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
		p.fail(Hint(fmt.Errorf("%w: element %d is %v, which has no encoding", ErrMalformed, i, xs[i]),
			"a result went beyond the range of numbers: scale observations, or the data that were imported, "+
				"to less than 1e150"))
	}
}

// sparseRows appends the number of entries of each row, their features, and their values.
func (p *recordWriter) sparseRows(rows []SparseRow) {
	for _, row := range rows {
		p.uint32s(uint32(len(row)))
	}
	values := make([]float64, 0, countEntries(rows))
	for _, row := range rows {
		for _, e := range row {
			p.uint32s(uint32(e.Feature))
			values = append(values, e.Value)
		}
	}
	p.floats(values)
}

func (p *recordWriter) uint64s(xs ...uint64) {
	for _, x := range xs {
		p.buf = binary.LittleEndian.AppendUint64(p.buf, x)
	}
}

func (p *recordWriter) uint32s(xs ...uint32) {
	for _, x := range xs {
		p.buf = binary.LittleEndian.AppendUint32(p.buf, x)
	}
}

// packed appends xs, all below limit, each in width bits (1, 2, 4 or 8), lowest bits
// first; the unused bits of the last byte are 0.
func (p *recordWriter) packed(xs []uint8, width int, limit uint64) {
	out, bits, reached := p.room(len(xs), width), newBitPacker(width, limit), false
	put := func(eight []uint8) {
		x := binary.LittleEndian.Uint64(eight)
		reached = reached || bits.anyAtLimit(x)
		binary.LittleEndian.PutUint64(out, bits.pack(x))
	}
	rest := xs
	for ; len(rest) >= 8; rest, out = rest[8:], out[width:] {
		put(rest)
	}
	put(append(make([]uint8, 0, 8), rest...)[:8])
	if reached {
		i, _ := firstAtLimit(xs, limit)
		p.failAtLimit(xs[i], limit)
	}
}

// room appends the bytes that n numbers of width bits take, and returns them with at least
// eight more, since eight bytes are written at a time.
func (p *recordWriter) room(n, width int) []byte {
	start, size := len(p.buf), (n*width+7)/8
	p.buf = slices.Grow(p.buf, size+8)[:start+size]
	return p.buf[start : start+size+8]
}

// failAtLimit makes the record fail because of a number that is not below its limit.
func (p *recordWriter) failAtLimit(x uint8, limit uint64) {
	p.fail(fmt.Errorf("%w: %d is not under %d", ErrMalformed, x, limit))
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

func (p *recordWriter) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// finish returns the record's bytes, or the first failure.
func (p *recordWriter) finish(kind Kind) ([]byte, error) {
	if p.err != nil {
		return nil, fmt.Errorf("encode %s record: %w", kind, p.err)
	}
	return p.buf, nil
}
