package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// First bytes of the items of RFC 8949 §3.3 that are read here.
const (
	itemFalse  = 0xf4
	itemTrue   = 0xf5
	itemHalf   = 0xf9
	itemSingle = 0xfa
	itemDouble = 0xfb
)

// ReadBool reads a boolean.
func (c *CBORReader) ReadBool() bool {
	b := c.take(1)
	c.expect(len(b) == 1 && (b[0] == itemFalse || b[0] == itemTrue))
	return !c.failed && b[0] == itemTrue
}

// ReadFloat reads a finite number, which must have the shortest form that preserves it.
func (c *CBORReader) ReadFloat() (x float64) {
	head := c.take(1)
	if c.failed {
		return 0
	}
	switch head[0] {
	case itemHalf:
		if b := c.take(2); !c.failed {
			x = decodeFloat16(binary.BigEndian.Uint16(b))
		}
	case itemSingle:
		if b := c.take(4); !c.failed {
			single := math.Float32frombits(binary.BigEndian.Uint32(b))
			x = float64(single)
			c.expect(!fitsFloat16(single))
		}
	case itemDouble:
		if b := c.take(8); !c.failed {
			x = math.Float64frombits(binary.BigEndian.Uint64(b))
			c.expect(float64(float32(x)) != x)
		}
	default:
		c.failed = true
	}
	c.expect(!math.IsNaN(x) && !math.IsInf(x, 0))
	return x
}

// ReadOptionalFloat reads null or a number.
func (c *CBORReader) ReadOptionalFloat() *float64 {
	if len(c.rest) > 0 && c.rest[0] == null {
		c.ReadNull()
		return nil
	}
	return new(c.ReadFloat())
}

// decodeFloat16 returns the number that an IEEE 754 binary16 represents, or an infinity for NaN.
func decodeFloat16(b uint16) float64 {
	exponent, fraction := int(b>>10&0x1f), float64(b&0x3ff)
	var x float64
	switch exponent {
	case 0:
		x = math.Ldexp(fraction, -24)
	case 0x1f:
		x = math.Inf(1)
	default:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if b>>15 == 1 {
		return -x
	}
	return x
}

// fitsFloat16 reports whether a finite number is representable in binary16.
func fitsFloat16(x float32) bool {
	b := math.Float32bits(x)
	exponent, fraction := int(b>>23&0xff)-127, b&(1<<23-1)
	switch zeros := bits.TrailingZeros32(fraction | 1<<23); {
	case exponent == -127:
		return fraction == 0
	case exponent > 15:
		return false
	case exponent >= -14:
		return zeros >= 13
	default: // subnormal
		return zeros >= -1-exponent
	}
}
