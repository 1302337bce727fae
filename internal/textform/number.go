package textform

import (
	"math"
	"strconv"
)

// FormatExact returns an optional number with as few digits as restore the same bits, whole
// numbers without an exponent, "" for nil. It is for files that programs read.
func FormatExact(x *float64) string {
	switch {
	case x == nil:
		return ""
	case *x == math.Trunc(*x) && math.Abs(*x) < 1<<53:
		return strconv.FormatFloat(*x+0, 'f', -1, 64) // −0 + 0 = 0
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
