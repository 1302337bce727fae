package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// An ArrayWriter appends little-endian arrays and CBOR items to its bytes.
type ArrayWriter struct {
	buf []byte
	err error // the first error
}

// NewArrayWriter returns a writer that appends to buf.
func NewArrayWriter(buf []byte) ArrayWriter { return ArrayWriter{buf: buf} }

// Bytes returns the bytes of buf and of everything appended, or the first error.
func (a *ArrayWriter) Bytes() ([]byte, error) {
	if a.err != nil {
		return nil, a.err
	}
	return a.buf, nil
}

// WriteFloats appends floats. If one of them is NaN or infinite, the writer fails with [ErrNoEncoding].
func (a *ArrayWriter) WriteFloats(xs []float64) {
	start := len(a.buf)
	a.buf = slices.Grow(a.buf, 8*len(xs))[:start+8*len(xs)]
	out, bad := a.buf[start:], 0
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
		a.Fail(fmt.Errorf("%w: element %d is %v, which has %w", ErrMalformed, i, xs[i], ErrNoEncoding))
	}
}

// WriteUint64s appends numbers.
func (a *ArrayWriter) WriteUint64s(xs ...uint64) {
	for _, x := range xs {
		a.buf = binary.LittleEndian.AppendUint64(a.buf, x)
	}
}

// WriteUint32s appends numbers.
func (a *ArrayWriter) WriteUint32s(xs ...uint32) {
	for _, x := range xs {
		a.buf = binary.LittleEndian.AppendUint32(a.buf, x)
	}
}

// WritePacked appends xs in width bits each (1, 2, 4 or 8), the first in the lowest bits of a byte.
// The unused bits of the last byte are 0. If an element is not below limit, the writer fails.
func (a *ArrayWriter) WritePacked(xs []uint8, width int, limit uint64) {
	start, size := len(a.buf), (len(xs)*width+7)/8
	a.buf = slices.Grow(a.buf, size+8)[:start+size]
	out := a.buf[start : start+size+8] // more than its size, since eight bytes are written at a time
	bits, reached := newBitPacker(width, limit), false
	put := func(eight []uint8) {
		x := binary.LittleEndian.Uint64(eight)
		reached = reached || bits.anyAtLimit(x)
		binary.LittleEndian.PutUint64(out, bits.pack(x))
	}
	rest := xs
	for ; len(rest) >= 8; rest, out = rest[8:], out[width:] {
		put(rest)
	}
	put(append(make([]uint8, 0, 8), rest...)[:8]) // padded with 0
	if reached {
		i, _ := firstAtLimit(xs, limit)
		a.Fail(fmt.Errorf("%w: %d is not below %d", ErrMalformed, xs[i], limit))
	}
}

// WriteCBOR appends v as canonical CBOR.
func (a *ArrayWriter) WriteCBOR(v any) {
	b, err := Marshal(v)
	if err != nil {
		a.Fail(err)
		return
	}
	a.buf = append(a.buf, b...)
}

// Fail makes the writer fail with err, unless it has failed before.
func (a *ArrayWriter) Fail(err error) {
	if a.err == nil {
		a.err = err
	}
}
