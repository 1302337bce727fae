package schema

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A recordReader takes little-endian arrays off the front of buf. It never allocates more
// than buf can fill. It keeps its first failure in err.
type recordReader struct {
	buf     []byte
	err     error
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
	return h.Shape, &recordReader{buf: payload, version: h.Version}, nil
}

// take returns the next n elements of size bytes, or nil after a failure.
func (u *recordReader) take(n uint64, size uint64) []byte {
	if u.err != nil {
		return nil
	}
	if n > uint64(len(u.buf))/size {
		u.err = fmt.Errorf("%w: %d elements of %d bytes in %d bytes", ErrTruncated, n, size, len(u.buf))
		return nil
	}
	b := u.buf[:n*size]
	u.buf = u.buf[n*size:]
	return b
}

func (u *recordReader) floats(n uint64) []float64 { return decodeFloats(u.floatBytes(n)) }

// floatBytes reads n finite numbers and returns their bytes.
func (u *recordReader) floatBytes(n uint64) []byte {
	b := u.take(n, 8)
	if !allFinite(b) {
		for i := range len(b) / 8 {
			if x := floatAt(b, i); math.IsNaN(x) || math.IsInf(x, 0) {
				u.fail(fmt.Errorf("%w: element %d is %v", ErrNotCanonical, i, x))
			}
		}
	}
	return b
}

// sparseRows reads n rows, of which so many numbers are not 0.
func (u *recordReader) sparseRows(n, dims, entries uint64) []SparseRow {
	lengths, features, values := u.uint32s(n), u.uint32s(entries), u.floats(entries)
	if u.err != nil {
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

func (u *recordReader) uint64s(n uint64) []uint64 {
	b := u.take(n, 8)
	xs := make([]uint64, len(b)/8)
	for i := range xs {
		xs[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return xs
}

func (u *recordReader) uint32s(n uint64) []uint32 {
	b := u.take(n, 4)
	xs := make([]uint32, len(b)/4)
	for i := range xs {
		xs[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return xs
}

// packed reads n values of the given width in bits, all of which must be below limit.
func (u *recordReader) packed(n uint64, width int, limit uint64) []uint8 {
	p := u.packedArray(n, width, limit)
	return p.values()
}

// packedArray reads n values of the given width in bits, all of which must be below limit.
func (u *recordReader) packedArray(n uint64, width int, limit uint64) packedArray {
	perByte := uint64(8 / width)
	p := packedArray{bytes: u.take(n/perByte+min(1, n%perByte), 1), n: n, bits: newBitPacker(width, limit)}
	if u.err == nil && limit < 1<<width {
		u.checkLimit(&p, limit)
	}
	if used := n % perByte; u.err == nil && used != 0 && p.bytes[len(p.bytes)-1]>>(used*uint64(width)) != 0 {
		u.fail(fmt.Errorf("%w: unused bits of a packed array are set", ErrNotCanonical))
	}
	if u.err != nil {
		return packedArray{}
	}
	return p
}

// checkLimit fails unless the values of an array are below limit. Unused bits of the last
// byte are ignored.
func (u *recordReader) checkLimit(p *packedArray, limit uint64) {
	reached := false
	for i := uint64(0); i < p.n; i += 8 {
		reached = reached || p.bits.anyAtLimit(p.eightAt(i))
	}
	if !reached {
		return
	}
	xs := p.values()
	if i, over := firstAtLimit(xs, limit); over {
		u.fail(fmt.Errorf("%w: element %d is %d, which is not under %d", ErrMalformed, i, xs[i], limit))
	}
}

// readCBOR reads one CBOR item into v.
func (u *recordReader) readCBOR(v any) {
	if u.err != nil {
		return
	}
	u.buf, u.err = unmarshalFirst(u.buf, v)
}

func (u *recordReader) fail(err error) {
	if u.err == nil {
		u.err = err
	}
}

// end returns the first failure, or [ErrOversized] if bytes are left.
func (u *recordReader) end() error {
	if u.err == nil && len(u.buf) > 0 {
		u.err = fmt.Errorf("%w: %d bytes", ErrOversized, len(u.buf))
	}
	return u.err
}

func wrapDecodeError(kind Kind, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("decode %s record: %w", kind, err)
}

// exponentMask is the exponent of a float64, all ones in NaN and ±Inf.
const exponentMask = 0x7ff << 52 // all ones in NaN and ±Inf

// allFinite reports whether no number has an exponent of all ones: adding 1 to the
// exponent's last bit then carries into the sign bit.
func allFinite(b []byte) bool {
	const one = 1 << 52
	carry, order := uint64(0), binary.LittleEndian
	for ; len(b) >= 32; b = b[32:] {
		carry |= order.Uint64(b)&exponentMask + one
		carry |= order.Uint64(b[8:])&exponentMask + one
		carry |= order.Uint64(b[16:])&exponentMask + one
		carry |= order.Uint64(b[24:])&exponentMask + one
	}
	for ; len(b) >= 8; b = b[8:] {
		carry |= order.Uint64(b)&exponentMask + one
	}
	return carry>>63 == 0
}

// decodeFloats returns the numbers in b.
func decodeFloats(b []byte) []float64 {
	xs := make([]float64, len(b)/8)
	for i := range xs {
		xs[i] = floatAt(b, i)
	}
	return xs
}

func floatAt(b []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
}
