package schema

import (
	"encoding/binary"
	"fmt"
	"math"
	mathbits "math/bits"
)

// CheckRecord returns the error that [Decode] would return for the record, without
// allocating its arrays. For the kinds with large tables it is the first half of decoding.
func CheckRecord(kind Kind, record []byte) error {
	var err error
	switch kind {
	case KindValue:
		_, err = checkValue(record)
	case KindTheta:
		_, _, err = checkTheta(record)
	case KindOption:
		_, err = checkOption(record)
	default:
		_, err = Decode(kind, record)
	}
	return err
}

// exponentMask is the exponent of a float64, all ones in NaN and ±Inf.
const exponentMask = 0x7ff << 52 // all ones in NaN and ±Inf

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

func floatAt(b []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
}

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

// A packedArray is a packed array that has been checked.
type packedArray struct {
	bytes []byte
	n     uint64
	bits  bitPacker
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

// eightAt returns the eight values from the i-th on, one in each byte; i must be divisible
// by 8. Values beyond the end are undefined.
func (p *packedArray) eightAt(i uint64) uint64 {
	at := i / 8 * uint64(p.bits.width)
	if at+8 <= uint64(len(p.bytes)) {
		return p.bits.unpack(binary.LittleEndian.Uint64(p.bytes[at:]))
	}
	return p.lastEight(at)
}

func (p *packedArray) lastEight(at uint64) uint64 {
	var last [8]byte
	copy(last[:p.bits.width], p.bytes[at:])
	return p.bits.unpack(binary.LittleEndian.Uint64(last[:]))
}

// compareZeros reports whether an array of bits is 0 exactly where p is, and otherwise the
// first index at which it differs.
func (p *packedArray) compareZeros(bits *packedArray) (i uint64, same bool) {
	const ones = 0x0101010101010101
	for i := uint64(0); i < p.n; i += 8 {
		some := (p.eightAt(i) + 0x7f*ones) >> 7 & ones // no value has its highest bit set
		if differing := some ^ bits.eightAt(i); differing != 0 {
			return i + uint64(mathbits.TrailingZeros64(differing))/8, false
		}
	}
	return 0, true
}

// values returns all values.
func (p *packedArray) values() []uint8 {
	xs := make([]uint8, p.n+8) // eight are written at a time
	for i := uint64(0); i < p.n; i += 8 {
		binary.LittleEndian.PutUint64(xs[i:], p.eightAt(i))
	}
	return xs[:p.n:p.n]
}
