package textform

import (
	"math"
	"strconv"
	"strings"
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

// PlainInteger returns a whole number that is written with an exponent or a point, such as 1e6, 2.5e3 or 7.0, as
// digits alone. It returns every other text, and numbers of more than 20 digits, as they are.
func PlainInteger(text string) string {
	const most = 20 // digits of the largest 64-bit number
	unsigned, negative := strings.CutPrefix(strings.ToLower(text), "-")
	mantissa, exponent, found := strings.Cut(unsigned, "e")
	if !found {
		exponent = "0"
	}
	shift, err := strconv.ParseUint(strings.TrimPrefix(exponent, "+"), 10, 8)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	zeros := int(shift) - len(fraction)
	if err != nil || zeros < 0 || zeros > most || whole == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return text
	}
	digits := strings.TrimLeft(whole+fraction+strings.Repeat("0", zeros), "0")
	switch {
	case len(digits) > most:
		return text
	case digits == "":
		return "0"
	case negative:
		return "-" + digits
	}
	return digits
}
