package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// An ArrayReader reads a sequence of little-endian arrays and CBOR items. It never allocates more than its
// bytes can fill. After a failure it reads nothing more.
type ArrayReader struct {
	rest []byte
	err  error // the first failure
}

// NewArrayReader returns a reader of data, which must not change while it is in use.
func NewArrayReader(data []byte) ArrayReader { return ArrayReader{rest: data} }

// Failed reports whether a read failed.
func (a *ArrayReader) Failed() bool { return a.err != nil }

// take returns the next n elements of size bytes, or nil after a failure.
func (a *ArrayReader) take(n uint64, size uint64) []byte {
	if a.err != nil {
		return nil
	}
	if n > uint64(len(a.rest))/size {
		a.err = fmt.Errorf("%w: %d elements of %d bytes in %d bytes", ErrTruncated, n, size, len(a.rest))
		return nil
	}
	b := a.rest[:n*size]
	a.rest = a.rest[n*size:]
	return b
}

// ReadFloats reads n finite numbers.
func (a *ArrayReader) ReadFloats(n uint64) []float64 { return DecodeFloats(a.ReadFloatBytes(n)) }

// ReadFloatBytes reads n finite numbers and returns their bytes.
func (a *ArrayReader) ReadFloatBytes(n uint64) []byte {
	b := a.take(n, 8)
	if !allFinite(b) {
		for i := range len(b) / 8 {
			if x := floatAt(b, i); math.IsNaN(x) || math.IsInf(x, 0) {
				a.Fail(fmt.Errorf("%w: element %d is %v", ErrNotCanonical, i, x))
			}
		}
	}
	return b
}

// ReadUint64s reads n numbers.
func (a *ArrayReader) ReadUint64s(n uint64) []uint64 {
	b := a.take(n, 8)
	xs := make([]uint64, len(b)/8)
	for i := range xs {
		xs[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return xs
}

// ReadUint32s reads n numbers.
func (a *ArrayReader) ReadUint32s(n uint64) []uint32 {
	b := a.take(n, 4)
	xs := make([]uint32, len(b)/4)
	for i := range xs {
		xs[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return xs
}

// ReadPacked reads n values of the given width in bits, all of which must be below limit.
func (a *ArrayReader) ReadPacked(n uint64, width int, limit uint64) []uint8 {
	p := a.ReadPackedArray(n, width, limit)
	return p.Values()
}

// ReadPackedArray reads n values of the given width in bits, all of which must be below limit.
func (a *ArrayReader) ReadPackedArray(n uint64, width int, limit uint64) PackedArray {
	perByte := uint64(8 / width)
	p := PackedArray{bytes: a.take(n/perByte+min(1, n%perByte), 1), n: n, bits: newBitPacker(width, limit)}
	if a.err == nil && limit < 1<<width {
		a.checkLimit(&p, limit)
	}
	if used := n % perByte; a.err == nil && used != 0 && p.bytes[len(p.bytes)-1]>>(used*uint64(width)) != 0 {
		a.Fail(fmt.Errorf("%w: unused bits of a packed array are set", ErrNotCanonical))
	}
	if a.err != nil {
		return PackedArray{}
	}
	return p
}

// checkLimit fails unless the values of an array are below limit. Unused bits of the last byte are ignored.
func (a *ArrayReader) checkLimit(p *PackedArray, limit uint64) {
	reached := false
	for i := uint64(0); i < p.n; i += 8 {
		reached = reached || p.bits.anyAtLimit(p.eightAt(i))
	}
	if !reached {
		return
	}
	xs := p.Values()
	if i, over := firstAtLimit(xs, limit); over {
		a.Fail(fmt.Errorf("%w: element %d is %d, not below %d", ErrMalformed, i, xs[i], limit))
	}
}

// ReadCBOR reads one CBOR item into v.
func (a *ArrayReader) ReadCBOR(v any) {
	if a.err != nil {
		return
	}
	a.rest, a.err = UnmarshalFirst(a.rest, v)
}

// Fail makes the reader fail with err, unless it has failed before.
func (a *ArrayReader) Fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// End returns the first failure, or [ErrOversized] if bytes are left.
func (a *ArrayReader) End() error {
	if a.err == nil && len(a.rest) > 0 {
		a.err = fmt.Errorf("%w: %d bytes left", ErrOversized, len(a.rest))
	}
	return a.err
}

// exponentMask is the exponent of a float64, all ones in NaN and ±Inf.
const exponentMask = 0x7ff << 52

// allFinite reports whether all numbers are finite. NaN and infinities have an exponent of all ones: adding 1
// to its last bit carries into the sign bit.
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

// DecodeFloats returns the numbers in b.
func DecodeFloats(b []byte) []float64 {
	xs := make([]float64, len(b)/8)
	for i := range xs {
		xs[i] = floatAt(b, i)
	}
	return xs
}

func floatAt(b []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
}
