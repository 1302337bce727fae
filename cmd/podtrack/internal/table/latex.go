package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// A table in LaTeX fits the text of a plain article, which is 345 pt wide. What does not fit is set as a researcher
// would by hand: smaller and closer, with titles on several lines; with the texts of the first column, where they are
// printed once a block, as headings; without columns that may be hidden, which a comment names; and at last with texts
// that are wrapped.

const (
	textWidth = 345 // of article, in points
	indent    = 15  // of a paragraph, which a plain tabular may begin
)

// latexLayout says how a table is set.
type latexLayout struct {
	size    string  // command, "" for the size of the text
	scale   float64 // of the widths at 10 pt
	gap     float64 // half the space between two columns: \tabcolsep
	limit   float64
	wrapped bool // titles take several lines
	blocks  int  // so many first columns are set as headings
	widths  []float64
	isTight []bool // columns whose texts are wrapped
}

// latexLayouts are tried in this order, until the table fits.
var latexLayouts = []latexLayout{
	{scale: 1, gap: 6, limit: textWidth - indent},
	{size: `\small`, scale: 0.925, gap: 4, limit: textWidth, wrapped: true},
	{size: `\footnotesize`, scale: 0.85, gap: 3, limit: textWidth, wrapped: true},
	{size: `\footnotesize`, scale: 0.85, gap: 3, limit: textWidth, wrapped: true, blocks: 1},
	{size: `\footnotesize`, scale: 0.85, gap: 3, limit: textWidth, wrapped: true, blocks: 2},
}

// latex returns a tabular with the rules of the booktabs package.
func (t *Table) latex() []byte {
	shown := &Table{Columns: slices.Clone(t.Columns), Rows: slices.Clone(t.Rows), Caption: t.Caption}
	var layout latexLayout
	for _, layout = range latexLayouts {
		layout.blocks = min(layout.blocks, shown.blocks())
		if layout.measure(shown); layout.fits() {
			return shown.setLatex(layout, nil)
		}
	}
	var hidden []string
	for i := shown.leastImportant(); i >= 0 && !layout.fits(); i = shown.leastImportant() {
		hidden = append(hidden, shown.Columns[i].Title)
		shown.hide(i)
		layout.blocks = min(layout.blocks, shown.blocks())
		layout.measure(shown)
	}
	if layout.tighten(shown); !layout.fits() {
		layout.size, layout.scale, layout.gap = `\scriptsize`, 0.8, 2
		layout.measure(shown)
		layout.tighten(shown)
	}
	return shown.setLatex(layout, hidden)
}

// blocks returns how many of the first columns have texts that are printed once for several rows, at most 2.
func (t *Table) blocks() (n int) {
	for n < min(2, len(t.Columns)-2) && !t.Columns[n].Right && len(t.Rows) > 0 && t.Rows[0][n] != "" &&
		slices.ContainsFunc(t.Rows, func(row []string) bool { return row[n] == "" }) {
		n++
	}
	return n
}

// measure sets the widths of the columns in points.
func (l *latexLayout) measure(t *Table) {
	l.widths, l.isTight = make([]float64, len(t.Columns)), make([]bool, len(t.Columns))
	for i, c := range t.Columns {
		cells := 0.0
		for _, row := range t.Rows {
			cells = max(cells, latexWidth(row[i]))
		}
		title := latexWidth(c.Title)
		if l.wrapped {
			title = longest(titleParts(c.Title), latexWidth)
		}
		l.widths[i] = l.scale * max(cells, title)
	}
	clear(l.widths[:l.blocks])
}

// fits reports whether a line is no wider than the text.
func (l *latexLayout) fits() bool { return l.width() <= l.limit }

// width returns the width of a line.
func (l *latexLayout) width() float64 {
	sum := 2 * l.gap * float64(len(l.widths)-l.blocks-1)
	for _, w := range l.widths {
		sum += w
	}
	return sum
}

// tighten wraps texts, the widest first, until the table fits or no text can be wrapped any more.
func (l *latexLayout) tighten(t *Table) {
	least := make([]float64, len(t.Columns))
	for i, c := range t.Columns {
		least[i] = l.widths[i]
		if !c.Right && i >= l.blocks {
			least[i] = l.scale * longest(titleParts(c.Title), latexWidth)
			for _, row := range t.Rows {
				least[i] = max(least[i], l.scale*longest(strings.Fields(row[i]), latexWidth))
			}
		}
	}
	for !l.fits() {
		widest := widestAbove(least, l.widths)
		if widest < 0 {
			return
		}
		l.isTight[widest] = true
		l.widths[widest] = max(least[widest], l.widths[widest]-1)
	}
}

// setLatex returns the tabular as a layout has it, without the hidden columns.
func (t *Table) setLatex(l latexLayout, hidden []string) []byte {
	var b bytes.Buffer
	packages := "booktabs"
	align := ""
	for i, c := range t.Columns {
		switch {
		case i < l.blocks:
		case l.isTight[i]:
			packages = "array,booktabs"
			align += fmt.Sprintf(`>{\raggedright\arraybackslash}p{%.0fpt}`, l.widths[i]+0.5)
		case c.Right:
			align += "r"
		default:
			align += "l"
		}
	}
	fmt.Fprintf(&b, "%% \\usepackage{%s}\n", packages)
	if t.Caption != "" {
		fmt.Fprintf(&b, "%% \\caption{%s}\n", escapeLatex(t.Caption))
	}
	if len(hidden) > 0 {
		fmt.Fprintf(&b, "%% without, to fit the width: %s\n", strings.Join(hidden, ", "))
	}
	if !l.fits() {
		fmt.Fprintf(&b, "%% wider than the text by about %.0f pt: choose fewer columns\n", l.width()-l.limit)
	}
	if l.size != "" {
		fmt.Fprintf(&b, "\\begingroup%s\\setlength{\\tabcolsep}{%gpt}\\noindent\n", l.size, l.gap)
		align = "@{}" + align + "@{}"
	}
	fmt.Fprintf(&b, "\\begin{tabular}{%s}\n\\toprule\n", align)
	for _, titles := range t.latexTitles(l) {
		b.WriteString(l.row(titles))
	}
	b.WriteString("\\midrule\n")
	heading := make([]string, l.blocks)
	for i, row := range t.Rows {
		if slices.ContainsFunc(row[:l.blocks], func(cell string) bool { return cell != "" }) {
			if i > 0 {
				b.WriteString("\\addlinespace\n")
			}
			if next := headingOf(heading, row); !slices.Equal(next, heading) {
				heading = next
				fmt.Fprintf(&b, "\\multicolumn{%d}{@{}l@{}}{%s} \\\\\n", len(row)-l.blocks,
					escapeLatex(strings.Join(heading, ", ")))
			}
		}
		b.WriteString(l.row(row))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	if l.size != "" {
		b.WriteString("\\endgroup\n")
	}
	return b.Bytes()
}

// headingOf returns the heading of a row that begins a block: the texts of the last heading, and its own after them.
func headingOf(last, row []string) []string {
	heading := slices.Clone(row[:len(last)])
	for i := range heading {
		if heading[i] != "" {
			break
		}
		heading[i] = last[i]
	}
	return heading
}

// latexTitles returns the rows of titles: of wrapped ones, words go to the next line where the column has no room.
func (t *Table) latexTitles(l latexLayout) [][]string {
	if !l.wrapped {
		return [][]string{t.Titles()}
	}
	columns := make([][]string, len(t.Columns))
	for i, c := range t.Columns {
		line := ""
		for _, word := range titleParts(c.Title) {
			if line != "" && l.scale*latexWidth(line+" "+word) > l.widths[i] && i >= l.blocks {
				columns[i] = append(columns[i], line)
				line = ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		columns[i] = append(columns[i], line)
	}
	return sideBySide(columns)
}

// negative matches a negative number, which has a minus and not a hyphen.
var negative = textfmt.Pattern(`(^|[\[ ])-([0-9][0-9.]*)([\], ]|$)`)

// escapeLatex returns a text as LaTeX.
func escapeLatex(text string) string {
	return textfmt.EscapeLaTeX(negative().ReplaceAllString(text, "${1}−${2}${3}"))
}

// row returns a row of the tabular.
func (l latexLayout) row(cells []string) string {
	escaped := textfmt.Map(cells[l.blocks:], escapeLatex)
	if strings.HasPrefix(escaped[0], "[") || strings.HasPrefix(escaped[0], "*") {
		escaped[0] = "{}" + escaped[0] // else \\ of the row before would take it for an argument
	}
	return strings.Join(escaped, " & ") + ` \\` + "\n"
}

// asciiWidths are the widths of the characters from the blank to the tilde in Computer Modern Roman at 10 pt, in
// hundredths of a point, as pdflatex measures them with these escapes.
var asciiWidths = [95]int{
	334, 278, 500, 834, 500, 834, 778, 278, 389, 389, 500, 778, 278, 334, 278, 500, // blank to /
	500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 778, 778, 778, 473, // 0 to ?
	778, 750, 709, 723, 764, 681, 653, 785, 750, 362, 514, 778, 625, 917, 750, 778, // @ to O
	681, 778, 737, 556, 723, 750, 750, 1028, 750, 750, 612, 278, 500, 278, 500, 360, // P to _
	278, 500, 556, 445, 556, 445, 306, 500, 556, 278, 306, 528, 278, 834, 556, 500, // ` to o
	556, 528, 392, 395, 389, 556, 528, 723, 528, 528, 445, 500, 278, 500, 500, // p to ~
}

// latexWidth returns how wide a text is at 10 pt, in points. A negative number's minus is wider than its hyphen.
func latexWidth(text string) float64 {
	sum := 0
	for _, r := range negative().ReplaceAllString(text, "${1}−${2}${3}") {
		switch {
		case r >= ' ' && r <= '~':
			sum += asciiWidths[r-' ']
		case r == '–':
			sum += 500
		case r > 0x1100: // of two columns, but for the signs of mathematics below
			sum += 1000
		default:
			sum += 780
		}
	}
	return float64(sum) / 100
}

// titleParts returns the parts of a title that stay together: words, and what is in parentheses or after a sign.
func titleParts(title string) (parts []string) {
	for _, word := range strings.Fields(title) {
		if last := len(parts) - 1; last >= 0 && (parts[last] == "±" || parts[last] == "−" ||
			strings.Count(parts[last], "(") > strings.Count(parts[last], ")")) {
			parts[last] += " " + word
		} else {
			parts = append(parts, word)
		}
	}
	return parts
}
