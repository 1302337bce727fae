package textform

import (
	"strconv"
	"strings"
)

// CSVCell returns text as a cell of a CSV file: on one line, with control characters escaped. Text
// that a spreadsheet would take for a formula gets an apostrophe in front. Numbers stay numbers,
// and a sign alone stays a sign.
func CSVCell(text string) string {
	text = EscapeLine(text)
	if text == "" || !strings.Contains("=+-@＝＋－＠", firstOf(text)) || text == "+" || text == "-" {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

// CSVRow returns the row with every cell passed through [CSVCell].
func CSVRow(cells []string) []string {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = CSVCell(c)
	}
	return row
}

// firstOf returns the first character of a text.
func firstOf(text string) string {
	for i := range text {
		if i > 0 {
			return text[:i]
		}
	}
	return text
}
