package wire

import (
	"encoding/binary"
	mathbits "math/bits"
	"slices"
)

// A bitPacker holds the masks with which eight numbers of a few bits, one in each byte,
// are packed next to each other and unpacked again, eight at a time.
type bitPacker struct {
	width      int
	m1, m2, m4 uint64 // of one number in each byte, two in each 16 bits, four in each 32
	m8         uint64
	gap        uint64 // in each byte, 128 minus the limit
}

// newBitPacker returns the masks for numbers of width bits, 1 to 8, that are below limit, 1 to 128.
func newBitPacker(width int, limit uint64) bitPacker {
	ones := func(n int) uint64 { return ^uint64(0) >> (64 - n*width) }
	return bitPacker{
		width: width,
		m1:    ones(1) * 0x0101010101010101, m2: ones(2) * 0x0001000100010001, m4: ones(4) * 0x0000000100000001,
		m8: ones(8), gap: (128 - limit) * 0x0101010101010101,
	}
}

// anyAtLimit reports whether any of eight bytes is at or above the limit.
func (b *bitPacker) anyAtLimit(x uint64) bool { return (x|(x+b.gap))&0x8080808080808080 != 0 }

// pack packs the numbers of eight bytes next to each other, the first one lowest.
func (b *bitPacker) pack(x uint64) uint64 {
	x = (x | x>>(8-b.width)) & b.m2
	x = (x | x>>(16-2*b.width)) & b.m4
	return (x | x>>(32-4*b.width)) & b.m8
}

// unpack undoes pack. It ignores bits above the eight numbers.
func (b *bitPacker) unpack(x uint64) uint64 {
	x &= b.m8
	x = (x | x<<(32-4*b.width)) & b.m4
	x = (x | x<<(16-2*b.width)) & b.m2
	return (x | x<<(8-b.width)) & b.m1
}

// nonZeroBytes returns 1 in each byte of x that is not 0. No byte may have its highest bit set.
func nonZeroBytes(x uint64) uint64 {
	const ones = 0x0101010101010101
	return (x + 0x7f*ones) >> 7 & ones
}

// PackedWidth returns the narrowest packed width in bits for values below limit, which is at most 256.
func PackedWidth(limit uint64) int {
	for _, width := range []int{1, 2, 4} {
		if limit <= 1<<width {
			return width
		}
	}
	return 8
}

// firstAtLimit returns the index of the first number that is not below limit, and whether any is.
func firstAtLimit(xs []uint8, limit uint64) (i int, over bool) {
	i = slices.IndexFunc(xs, func(x uint8) bool { return uint64(x) >= limit })
	return i, i >= 0
}

// A PackedArray is a packed array whose values were checked.
type PackedArray struct {
	bytes []byte
	n     uint64
	bits  bitPacker
}

// Count returns the number of values.
func (p *PackedArray) Count() int { return int(p.n) }

// Values returns all values.
func (p *PackedArray) Values() []uint8 {
	xs := make([]uint8, p.n+8) // eight are written at a time
	for i := uint64(0); i < p.n; i += 8 {
		binary.LittleEndian.PutUint64(xs[i:], p.eightAt(i))
	}
	return xs[:p.n:p.n]
}

// eightAt returns the eight values from the i-th on, one in each byte; i must be divisible
// by 8. Values beyond the end are undefined.
func (p *PackedArray) eightAt(i uint64) uint64 {
	at := i / 8 * uint64(p.bits.width)
	if at+8 <= uint64(len(p.bytes)) {
		return p.bits.unpack(binary.LittleEndian.Uint64(p.bytes[at:]))
	}
	var last [8]byte
	copy(last[:p.bits.width], p.bytes[at:])
	return p.bits.unpack(binary.LittleEndian.Uint64(last[:]))
}

// Words returns an array of bits as words of 64: value i is bit i % 64 of word i / 64. Bits beyond the end are 0.
func (p *PackedArray) Words() []uint64 {
	words := make([]uint64, (p.n+63)/64)
	for w := range words {
		var word [8]byte
		copy(word[:], p.bytes[8*w:])
		words[w] = binary.LittleEndian.Uint64(word[:])
	}
	return words
}

// CompareZeros reports whether the array of bits is 0 exactly where p is 0. If not, it returns the first index
// that differs.
func (p *PackedArray) CompareZeros(bits *PackedArray) (i uint64, same bool) {
	for i := uint64(0); i < p.n; i += 8 {
		if differing := nonZeroBytes(p.eightAt(i)) ^ bits.eightAt(i); differing != 0 {
			return i + uint64(mathbits.TrailingZeros64(differing))/8, false
		}
	}
	return 0, true
}
