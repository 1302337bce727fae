package schema

import (
	"encoding/binary"
	mathbits "math/bits"
)

// A packedArray is a packed array that has been checked.
type packedArray struct {
	bytes []byte
	n     uint64
	bits  bitPacker
}

// values returns all values.
func (p *packedArray) values() []uint8 {
	xs := make([]uint8, p.n+8) // eight are written at a time
	for i := uint64(0); i < p.n; i += 8 {
		binary.LittleEndian.PutUint64(xs[i:], p.eightAt(i))
	}
	return xs[:p.n:p.n]
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
	for i := uint64(0); i < p.n; i += 8 {
		if differing := nonZeroBytes(p.eightAt(i)) ^ bits.eightAt(i); differing != 0 {
			return i + uint64(mathbits.TrailingZeros64(differing))/8, false
		}
	}
	return 0, true
}
