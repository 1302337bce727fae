package schema

import (
	"encoding/binary"
	"math"
)

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
