package schema

import (
	"encoding/binary"
	"fmt"
	"math"
	mathbits "math/bits"
)

// CheckRecord says whether a record is one of the given kind: of the same bytes, and with
// the same error, as [Decode], which it is the first half of for the kinds that
// have large tables. It makes no arrays.
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

const exponentMask = 0x7ff << 52 // all ones in NaN and ±Inf

// floatBytes are those of n finite numbers.
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

// allFinite says whether no number has an exponent of all ones: adding one to its last
// bit carries into the sign's place then.
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

// decodeFloats are the numbers of those bytes.
func decodeFloats(b []byte) []float64 {
	xs := make([]float64, len(b)/8)
	for i := range xs {
		xs[i] = floatAt(b, i)
	}
	return xs
}

// packedArray is a packed array that was checked.
type packedArray struct {
	bytes []byte
	n     uint64
	bits  bitPacker
}

// packedArray reads n values of width bits that must all be under limit.
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

// checkLimit holds the values of an array to their limit. What is left over in the last
// byte is of no value.
func (u *recordReader) checkLimit(p *packedArray, limit uint64) {
	odd := false
	for i := uint64(0); i < p.n; i += 8 {
		odd = odd || p.bits.anyAtLimit(p.eightAt(i))
	}
	if !odd {
		return
	}
	xs := p.values()
	if i, over := firstAtLimit(xs, limit); over {
		u.fail(fmt.Errorf("%w: element %d is %d, which is not under %d", ErrMalformed, i, xs[i], limit))
	}
}

// eightAt are the values from the i-th on, which must be divisible by 8, one a byte.
// Those beyond the end are of no value.
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

// compareZeros says whether an array of bits is 0 just where p is, or else the first
// place where it is not.
func (p *packedArray) compareZeros(bits *packedArray) (i uint64, same bool) {
	const ones = 0x0101010101010101
	for i := uint64(0); i < p.n; i += 8 {
		some := (p.eightAt(i) + 0x7f*ones) >> 7 & ones // no value has its highest bit set
		if odd := some ^ bits.eightAt(i); odd != 0 {
			return i + uint64(mathbits.TrailingZeros64(odd))/8, false
		}
	}
	return 0, true
}

// values are all of them.
func (p *packedArray) values() []uint8 {
	xs := make([]uint8, p.n+8) // eight are written at a time
	for i := uint64(0); i < p.n; i += 8 {
		binary.LittleEndian.PutUint64(xs[i:], p.eightAt(i))
	}
	return xs[:p.n:p.n]
}
