package palette

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// shortDigits is how many significant digits the ends of a scale have.
const shortDigits = 4

// decimals is how many digits after the point a quantity has. Those of measures are report.MeasureDigits.
var decimals = map[string]int{
	"sigma":      3, // singular values, and differences of them
	"similarity": 3, // |cos_M| and its threshold
	"chance":     2, // chance levels and prevalence
}

// Number returns a number with the decimals of its quantity, a true minus sign and no minus before 0.
func Number(quantity string, x float64) string {
	digits, known := decimals[quantity]
	if !known {
		panic("no quantity " + quantity)
	}
	return minus(textfmt.FormatNumber(x, digits))
}

// Whole returns a whole number with a comma between thousands and a true minus sign.
func Whole(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return minus(text)
}

// Short returns a number of at most [shortDigits] significant digits.
func Short(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	size := math.Abs(x)
	if x != 0 && (size < 1e-3 || size >= 1e6) {
		return Exponent(x, 2)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', shortDigits, 64), 64)
	return minus(strconv.FormatFloat(rounded, 'f', -1, 64))
}

// Within returns a number with the ends of its interval, if it has one.
func Within(value float64, low, high *float64) string {
	if low == nil || high == nil {
		return Short(value)
	}
	return Short(value) + " [" + Short(*low) + ", " + Short(*high) + "]"
}

// Exponent returns a number as a power of ten with a factor, which has so many decimals, or as many as it needs for −1.
func Exponent(x float64, decimals int) string {
	factor, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', decimals, 64), "e")
	n, _ := strconv.Atoi(exponent) // which FormatFloat wrote
	return minus(factor) + "e" + strings.Replace(fmt.Sprintf("%+d", n), "-", "−", 1)
}

// minus returns a number's text with a true minus sign, and without one before 0.
func minus(text string) string {
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}
