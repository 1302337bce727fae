package table

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// proseWidth is the width of text around tables where the output has no width.
const proseWidth = 80

// Text writes text for people. Its methods return no error, since the program's output keeps the first one.
type Text struct{ io.Writer }

// Width returns the width of the writer, 0 if it has none.
func (t Text) Width() int { return WidthOf(t.Writer) }

// Line writes text on one line, whatever it contains.
func (t Text) Line(format string, values ...any) {
	fmt.Fprintln(t.Writer, textfmt.EscapeLine(fmt.Sprintf(format, values...)))
}

// Blank writes an empty line.
func (t Text) Blank() { fmt.Fprintln(t.Writer) }

// Table writes a table, fitted to the width.
func (t Text) Table(g *Table) { _ = g.Print(t.Writer, Formats[0]) }

// TableBelow writes an empty line and a table.
func (t Text) TableBelow(g *Table) {
	t.Blank()
	t.Table(g)
}

// Prose writes a paragraph, wrapped between words to the width, or to 80 columns if there is none.
func (t Text) Prose(format string, values ...any) {
	width := cmp.Or(t.Width(), proseWidth)
	if _, ok := t.Writer.(printer); ok {
		width = 0
	}
	for _, line := range Wrap(fmt.Sprintf(format, values...), width) {
		fmt.Fprintln(t.Writer, line)
	}
}

// Wrapped writes lines, each wrapped between words to the width, if there is one: where programs read them, they are
// not wrapped.
func (t Text) Wrapped(format string, values ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, values...), "\n") {
		for _, part := range Wrap(line, t.Width()) {
			fmt.Fprintln(t.Writer, part)
		}
	}
}

// Notes writes each note on a line of its own, escaped and wrapped as [Text.Wrapped] does.
func (t Text) Notes(notes []string) {
	for _, note := range notes {
		t.Wrapped("%s", textfmt.EscapeLine(note))
	}
}

// Fact writes a label and a text behind it, which is wrapped to the width, if there is one, and indented.
func (t Text) Fact(label, format string, values ...any) {
	t.fact(11, label, fmt.Sprintf(format, values...))
}

// Field writes a short label and a text like [Text.Fact].
func (t Text) Field(label, format string, values ...any) {
	t.fact(8, label, fmt.Sprintf(format, values...))
}

func (t Text) fact(indent int, label, text string) {
	if p, ok := t.Writer.(printer); ok {
		p.PrintFact(label, text)
		return
	}
	lines := []string{text}
	if limit := t.Width(); limit > 2*indent {
		lines = Wrap(lines[0], limit-indent)
	}
	for _, line := range lines {
		fmt.Fprintf(t.Writer, "%-*s%s\n", indent, label, line)
		label = ""
	}
}

// PValue formats a p-value with the given digits after the point. One that would round to 0 is shown as less than the
// smallest that the digits can show, since no p-value is 0. One that would round across the level of 0.05 has more
// digits.
func PValue(p *float64, digits int) string {
	if p == nil {
		return None
	}
	smallest := math.Pow10(-digits)
	if *p < smallest*(1-1e-9) {
		return "< " + strconv.FormatFloat(smallest, 'f', digits, 64)
	}
	for digits < maxDigits && (*p <= level) != (rounded(*p, digits) <= level) {
		digits++
	}
	return Number(p, digits)
}

// P-values up to level are significant, and have maxDigits digits at most.
const (
	level     = 0.05
	maxDigits = 17
)

// rounded returns a number rounded to that many digits after the point.
func rounded(x float64, digits int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', digits, 64), 64)
	if err != nil {
		return x
	}
	return y
}
