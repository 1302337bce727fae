package textfmt

import (
	"fmt"
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

// scientific is the magnitude from which [FormatNumber] writes an exponent.
const scientific = 1e15

// FormatNumber returns a number with the given digits after the point. From 1e15 on it writes an exponent, as
// in 2.000e+300, so that numbers fit a column. It is for people.
func FormatNumber(x float64, digits int) string {
	if math.Abs(x) >= scientific {
		return strconv.FormatFloat(x, 'e', max(digits, 3), 64)
	}
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// FormatEnd formats an end of an interval like [FormatNumber], but never shows an end other than 0 as 0:
// readers look at the side of 0 on which an interval lies.
func FormatEnd(x float64, digits int) string {
	text := FormatNumber(x, digits)
	if x != 0 && strings.Trim(text, "0.") == "" {
		return strconv.FormatFloat(x, 'g', 1, 64)
	}
	return text
}

// FormatInterval returns an interval, or "" if an end is nil.
func FormatInterval(low, high *float64, digits int) string {
	if low == nil || high == nil {
		return ""
	}
	return "[" + FormatEnd(*low, digits) + ", " + FormatEnd(*high, digits) + "]"
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

// Roughly formats a time in seconds with the precision of an estimate.
func Roughly(seconds float64) string {
	const minute, hour, day = 60, 3600, 24 * 3600
	for _, unit := range []struct {
		below, size float64
		name        string
	}{{100, 1, "s"}, {100 * minute, minute, "min"}, {72 * hour, hour, "h"}} {
		if seconds < unit.below {
			return fmt.Sprintf("%.0f %s", max(1, math.Round(seconds/unit.size)), unit.name)
		}
	}
	return fmt.Sprintf("%.0f days", math.Round(seconds/day))
}
