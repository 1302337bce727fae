package table

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// A table that is wider than the terminal is hard to read, since its rows continue in
// the next line. As ps does, podtrack fits a table to the terminal's width, or to that of
// the variable COLUMNS; in a pipe or a file a table has its full width, so that programs
// always find the same columns. Titles and long texts are wrapped before
// columns are hidden, the optional ones first, and a line below the table names what is hidden.

const (
	narrowText = 20 // texts are wrapped to this width before optional columns are hidden
	leastText  = 8  // texts are wrapped to this width, between words, before other columns are hidden
	wholeWord  = 12 // no shorter word is broken while columns can be hidden
	mostShown  = 2  // columns are left
)

// fitted returns the text of a table that is wider than the limit.
func (t *Table) fitted(widths []int, limit int) []byte {
	full := lineWidth(widths)
	shown := &Table{Columns: slices.Clone(t.Columns), Rows: slices.Clone(t.Rows)}
	var hidden []string
	fits := shown.shrink(limit, narrowText)
	hideWhile := func(candidate func() int, least int) {
		for i := candidate(); fits == nil && i >= 0; i = candidate() {
			hidden = append(hidden, shown.Columns[i].Title)
			shown.hide(i)
			fits = shown.shrink(limit, least)
		}
	}
	hideWhile(shown.leastImportant, narrowText)
	if fits == nil {
		fits = shown.shrink(limit, leastText)
	}
	hideWhile(shown.last, leastText)
	if fits == nil {
		fits = shown.narrowest(leastText)
	}
	var out bytes.Buffer
	shown.writeWrapped(&out, shown.Titles(), fits)
	writeRule(&out, fits, limit)
	for _, row := range shown.Rows {
		shown.writeWrapped(&out, row, fits)
	}
	if len(hidden) > 0 {
		writeHidden(&out, hidden, limit, full)
	}
	return out.Bytes()
}

// writeHidden names the hidden columns, and the width at which all of them are shown.
func writeHidden(out *bytes.Buffer, hidden []string, limit, full int) {
	const most = 12 // names
	var names []string
	times := map[string]int{}
	for _, name := range hidden {
		if times[name]++; times[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if n := times[name]; n > 1 {
			names[i] = fmt.Sprintf("%s (%d times)", name, n)
		}
	}
	if len(names) > most {
		names = append(names[:most], "…")
	}
	line := fmt.Sprintf("%s hidden: %s. COLUMNS=%d shows all.", textfmt.CountOf(len(hidden), "column"),
		strings.Join(names, ", "), full)
	for _, part := range Wrap(line, limit) {
		out.WriteString(part + "\n")
	}
}

// shrink returns widths of the columns with which a line fits into the limit, nil if
// there are none. It wraps titles between words, then texts, the widest first, down to
// the given width, or to that of their longest words. Cells aligned right are not wrapped.
func (t *Table) shrink(limit, least int) []int {
	widths := t.widths()
	if lineWidth(widths) <= limit {
		return widths
	}
	widths, narrowest := t.narrowest(math.MaxInt), t.narrowest(least)
	if lineWidth(narrowest) > limit {
		return nil
	}
	for lineWidth(widths) > limit {
		widths[widestAbove(narrowest, widths)]--
	}
	return widths
}

// widestAbove returns the widest column that is wider than its least width, −1 if there is none.
func widestAbove[T int | float64](least, widths []T) int {
	widest := -1
	for i, w := range widths {
		if w > least[i] && (widest < 0 || w > widths[widest]) {
			widest = i
		}
	}
	return widest
}

// narrowest returns the least widths of the columns with titles wrapped between words,
// and texts to the given width, but no word up to wholeWord is broken.
func (t *Table) narrowest(least int) []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = longest(strings.Fields(c.Title), width)
		for _, row := range t.Rows {
			w := width(row[i])
			if !c.Right && w > least {
				w = min(w, max(least, min(longest(strings.Fields(row[i]), width), wholeWord)))
			}
			widths[i] = max(widths[i], w)
		}
	}
	return widths
}

// leastImportant returns the column that is hidden next, −1 if all must stay.
func (t *Table) leastImportant() int {
	least := -1
	for i, c := range t.Columns {
		if c.Rank > 0 && (least < 0 || c.Rank <= t.Columns[least].Rank) {
			least = i
		}
	}
	return least
}

// last returns the last column, −1 if it must stay or is one of the first.
func (t *Table) last() int {
	if i := len(t.Columns) - 1; i >= mostShown && t.Columns[i].Rank != Always {
		return i
	}
	return -1
}

// longest returns the width of the widest of some words.
func longest[T int | float64](words []string, width func(string) T) (widest T) {
	for _, word := range words {
		widest = max(widest, width(word))
	}
	return widest
}

// hide removes a column.
func (t *Table) hide(i int) {
	t.Columns = slices.Delete(t.Columns, i, i+1)
	for r, row := range t.Rows {
		t.Rows[r] = slices.Concat(row[:i], row[i+1:])
	}
}

// writeWrapped writes a row as one or more lines.
func (t *Table) writeWrapped(out *bytes.Buffer, row []string, widths []int) {
	cells := make([][]string, len(row))
	for i, cell := range row {
		cells[i] = Wrap(cell, widths[i])
	}
	for _, line := range sideBySide(cells) {
		t.writeRow(out, line, widths)
	}
}

// sideBySide returns the lines of a row, given those of each cell. Below the last line of a cell it is empty.
func sideBySide(cells [][]string) (lines [][]string) {
	for i, parts := range cells {
		for n, part := range parts {
			if n == len(lines) {
				lines = append(lines, make([]string, len(cells)))
			}
			lines[n][i] = part
		}
	}
	return lines
}

// Wrap breaks text between words into lines of at most the given width. A longer word
// is broken anywhere.
func Wrap(cell string, limit int) (lines []string) {
	for width(cell) > limit && limit > 0 {
		line := text.Trim(cell, limit)
		if line == "" { // a character of two columns
			_, n := utf8.DecodeRuneInString(cell)
			line = cell[:n]
		}
		rest := cell[len(line):]
		if end := strings.LastIndexByte(line, ' '); end > 0 && rest[0] != ' ' && strings.TrimSpace(line[:end]) != "" {
			line, rest = line[:end], line[end:]+rest
		}
		lines = append(lines, strings.TrimRight(line, " "))
		cell = strings.TrimLeft(rest, " ")
	}
	return append(lines, cell)
}

// text returns the table for people to read: a rule under the titles, no blanks at the
// ends of lines. A limit above 0 is the greatest width of a line.
func (t *Table) text(limit int) []byte {
	widths := t.widths()
	if limit > 0 && lineWidth(widths) > limit {
		return t.fitted(widths, limit)
	}
	var out bytes.Buffer
	out.Grow((len(t.Rows) + 4) * (lineWidth(widths) + gap + 1))
	t.writeRow(&out, t.Titles(), widths)
	writeRule(&out, widths, limit)
	for _, row := range t.Rows {
		t.writeRow(&out, row, widths)
	}
	return out.Bytes()
}
