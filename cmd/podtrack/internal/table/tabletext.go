package table

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podtrack/podtrack/replay/report"
)

// Tables of thousands of rows are common, so a table is laid out in one buffer: first
// the width of each column, then line after line.

// titles returns the columns' titles, and whether each column is aligned right.
func (g *Table) titles() (titles []string, right []bool) {
	for _, name := range g.Columns {
		title, r := strings.CutPrefix(name, ">")
		titles, right = append(titles, title), append(right, r)
	}
	return titles, right
}

// gap is the number of blanks after a column.
const gap = 2

// text returns the table for people to read: a rule under the titles, no blanks at the
// ends of lines.
func (g *Table) text() []byte {
	titles, right := g.titles()
	widths := make([]int, len(titles))
	measure(widths, titles)
	for _, row := range g.Rows {
		measure(widths, row)
	}
	length := 1 // of a line
	for _, w := range widths {
		length += w + gap
	}
	var out bytes.Buffer
	out.Grow((len(g.Rows) + 4) * length)
	writeRow(&out, titles, widths, right)
	for _, w := range widths {
		out.WriteString(strings.Repeat("─", w+gap))
	}
	out.WriteByte('\n')
	for _, row := range g.Rows {
		writeRow(&out, row, widths, right)
	}
	return out.Bytes()
}

// measure widens columns to fit the cells of a row.
func measure(widths []int, row []string) {
	for i, cell := range row {
		widths[i] = max(widths[i], width(cell))
	}
}

// writeRow writes a row as one line.
func writeRow(out *bytes.Buffer, row []string, widths []int, right []bool) {
	begin := out.Len()
	for i, cell := range row {
		writeCell(out, cell, widths[i], right[i])
	}
	out.Truncate(begin + len(bytes.TrimRightFunc(out.Bytes()[begin:], unicode.IsSpace)))
	out.WriteByte('\n')
}

// blanks is a stock of blanks for padding.
const blanks = "                                                                "

// writeCell writes a cell, aligned in its column.
func writeCell(out *bytes.Buffer, cell string, column int, right bool) {
	left := column - width(cell)
	if right {
		pad(out, left)
		left = 0
	}
	out.WriteString(cell)
	pad(out, left+gap)
}

// pad writes n blanks.
func pad(out *bytes.Buffer, n int) {
	for ; n > len(blanks); n -= len(blanks) {
		out.WriteString(blanks)
	}
	out.WriteString(blanks[:n])
}

// width returns how many columns of a terminal a cell takes.
func width(cell string) int {
	for i := range len(cell) {
		if cell[i] >= utf8.RuneSelf {
			return text.StringWidthWithoutEscSequences(cell)
		}
	}
	return len(cell)
}

// csv returns the table as CSV. It quotes a cell only where CSV requires it.
func (g *Table) csv() []byte {
	var out bytes.Buffer
	titles, _ := g.titles()
	for _, row := range append([][]string{titles}, g.Rows...) {
		for i, cell := range row {
			if i > 0 {
				out.WriteByte(',')
			}
			if cell = report.CSVCell(cell); strings.ContainsAny(cell, `",`) {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			out.WriteString(cell)
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// markdownEscapes escapes what Markdown treats as more than text, including the bars of
// tables, and HTML. Hyphens within words, as in as-written, need no escape.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "$", `\$`,
	"[", `\[`, "]", `\]`, "&", "&amp;", "<", "&lt;", ">", "&gt;")

// markdown returns the table as a Markdown table.
func (g *Table) markdown() []byte {
	var out bytes.Buffer
	titles, right := g.titles()
	for i, row := range append([][]string{titles}, g.Rows...) {
		for _, cell := range row {
			out.WriteString("| " + markdownEscapes.Replace(cell) + " ")
		}
		out.WriteString("|\n")
		if i == 0 {
			for _, r := range right {
				out.WriteString(map[bool]string{false: "|:--- ", true: "| ---:"}[r])
			}
			out.WriteString("|\n")
		}
	}
	return out.Bytes()
}
