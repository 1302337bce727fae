package table

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// proseWidth is the width of text around tables where the output has no width.
const proseWidth = 80

// PrintProse prints a paragraph, wrapped between words to the writer's width, or to 80 columns if it has none.
func PrintProse(w io.Writer, format string, values ...any) {
	limit := WidthOf(w)
	if limit == 0 {
		limit = proseWidth
	}
	for _, line := range Wrap(fmt.Sprintf(format, values...), limit) {
		fmt.Fprintln(w, line)
	}
}

// PrintWrapped prints lines, each wrapped between words to the writer's width, if it has one: where programs read them,
// they are not wrapped.
func PrintWrapped(w io.Writer, format string, values ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, values...), "\n") {
		for _, part := range Wrap(line, WidthOf(w)) {
			fmt.Fprintln(w, part)
		}
	}
}

// PrintFact prints a label and a text behind it, which is wrapped to the writer's width, if it has one, and indented.
func PrintFact(w io.Writer, label, format string, values ...any) {
	const indent = 11
	lines := []string{fmt.Sprintf(format, values...)}
	if limit := WidthOf(w); limit > 2*indent {
		lines = Wrap(lines[0], limit-indent)
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%-*s%s\n", indent, label, line)
		label = ""
	}
}

// PValue formats a p-value with the given digits after the point. One that these digits would show as 0 is shown as
// less than the smallest that they can show: no test finds that something is impossible. One that they would show on
// the other side of a level of 0.05 has more digits.
func PValue(p *float64, digits int) string {
	if p == nil {
		return None
	}
	smallest := 1.0
	for range digits {
		smallest /= 10
	}
	if *p < smallest*(1-1e-9) {
		return "< " + strconv.FormatFloat(smallest, 'f', digits, 64)
	}
	for digits < maxDigits && (*p <= level) != (rounded(*p, digits) <= level) {
		digits++
	}
	return Number(p, digits)
}

// level is that of the tests whose p-values are printed, and maxDigits are the most digits of a p-value.
const (
	level     = 0.05
	maxDigits = 17
)

// rounded returns a number as it is read with so many digits after the point.
func rounded(x float64, digits int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', digits, 64), 64)
	if err != nil {
		return x
	}
	return y
}
