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
	out, bits, reached := a.room(len(xs), width), newBitPacker(width, limit), false
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
		a.failAtLimit(xs[i], limit)
	}
}

// room appends space for n numbers of width bits. It returns that space and eight more bytes, because callers
// write eight bytes at a time.
func (a *ArrayWriter) room(n, width int) []byte {
	start, size := len(a.buf), (n*width+7)/8
	a.buf = slices.Grow(a.buf, size+8)[:start+size]
	return a.buf[start : start+size+8]
}

// failAtLimit makes the writer fail because x is not below limit.
func (a *ArrayWriter) failAtLimit(x uint8, limit uint64) {
	a.Fail(fmt.Errorf("%w: %d is not below %d", ErrMalformed, x, limit))
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

// WritePolicy appends a policy, in which −1 means no action. First come the entries plus 1, packed as by
// WritePacked, then one bit for each entry, 1 if it is an action. It reads the policy once, eight entries at a
// time.
func (a *ArrayWriter) WritePolicy(policy []int8, limit uint64) {
	width := PackedWidth(limit)
	actions, ones := newBitPacker(width, limit), newBitPacker(1, 2)
	numbers := a.room(len(policy), width)
	acts := make([]byte, (len(policy)+7)/8)
	for i := range acts {
		x := shiftedActions(policy[8*i:])
		if actions.anyAtLimit(x) {
			at, _ := firstAtLimit(binary.LittleEndian.AppendUint64(nil, x), limit)
			a.failAtLimit(uint8(x>>(8*at)), limit)
			return
		}
		binary.LittleEndian.PutUint64(numbers[i*width:], actions.pack(x))
		acts[i] = byte(ones.pack(nonZeroBytes(x)))
	}
	a.buf = append(a.buf, acts...)
}

// shiftedActions returns the first eight entries of a policy plus 1, one in each byte, and 0 beyond the end of
// the policy.
func shiftedActions(policy []int8) (x uint64) {
	if len(policy) < 8 {
		for i, a := range policy {
			x |= uint64(uint8(a+1)) << (8 * i)
		}
		return x
	}
	p := (*[8]int8)(policy)
	x = uint64(uint8(p[0])) | uint64(uint8(p[1]))<<8 | uint64(uint8(p[2]))<<16 | uint64(uint8(p[3]))<<24 |
		uint64(uint8(p[4]))<<32 | uint64(uint8(p[5]))<<40 | uint64(uint8(p[6]))<<48 | uint64(uint8(p[7]))<<56
	// Add 1 to each byte. The highest bits are added apart (by xor), so that no byte carries into the next.
	const high = 0x8080808080808080
	return (x&^high + 0x0101010101010101) ^ x&high
}
