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

// firstAtLimit returns the index of the first number that is not below limit, and whether
// there is one.
func firstAtLimit(xs []uint8, limit uint64) (i int, over bool) {
	i = slices.IndexFunc(xs, func(x uint8) bool { return uint64(x) >= limit })
	return i, i >= 0
}

// packed appends xs, all below limit, each in width bits (1, 2, 4 or 8), lowest bits
// first; the unused bits of the last byte are 0.
func (p *recordWriter) packed(xs []uint8, width int, limit uint64) {
	all := xs
	size := (len(xs)*width + 7) / 8
	start := len(p.buf)
	p.buf = slices.Grow(p.buf, size+8)
	out := p.buf[start : start+size+8] // eight bytes are written at a time
	bits, reached := newBitPacker(width, limit), false
	put := func(eight []uint8) {
		x := binary.LittleEndian.Uint64(eight)
		reached = reached || bits.anyAtLimit(x)
		binary.LittleEndian.PutUint64(out, bits.pack(x))
	}
	for ; len(xs) >= 8; xs, out = xs[8:], out[width:] {
		put(xs)
	}
	put(append(make([]uint8, 0, 8), xs...)[:8])
	p.buf = p.buf[:start+size]
	if reached {
		i, _ := firstAtLimit(all, limit)
		p.fail(fmt.Errorf("%w: %d is not under %d", ErrMalformed, all[i], limit))
	}
}

func (p *recordWriter) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// A recordReader takes little-endian arrays off the front of buf. It never allocates more
// than buf can fill. It keeps its first failure in err.
type recordReader struct {
	buf     []byte
	err     error
	version uint64 // of the record
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

// packedWidth returns the narrowest packed width in bits for values below limit, which is
// at most 256.
func packedWidth(limit uint64) int {
	for _, width := range []int{1, 2, 4} {
		if limit <= 1<<width {
			return width
		}
	}
	return 8
}
