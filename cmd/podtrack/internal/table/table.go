// Package table prints tables as text for people, CSV, Markdown or LaTeX.
package table

import (
	"fmt"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Table is a table of text.
type Table struct {
	Columns []Column   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Caption string     `json:"-"` // that LaTeX has as a comment
}

// List is a list of tables.
type List []*Table

// New returns an empty table.
func New(columns ...Column) *Table { return &Table{Columns: columns} }

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// None stands for a missing value.
const None = "–"

// Number formats an optional number like [textfmt.FormatNumber], a whole one with all of its digits, or returns
// [None].
func Number[T int | int64 | float64](x *T, digits int) string {
	if x == nil {
		return None
	}
	switch n := any(*x).(type) {
	case float64:
		return textfmt.FormatNumber(n, digits)
	default:
		return fmt.Sprint(n)
	}
}

// End formats an optional end of an interval like [textfmt.FormatEnd], or returns [None].
func End(x *float64, digits int) string {
	if x == nil {
		return None
	}
	return textfmt.FormatEnd(*x, digits)
}

// Titles returns the columns' titles, escaped.
func (t *Table) Titles() []string {
	titles := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = c.Title
	}
	return titles
}

// headers returns the columns' names in CSV.
func (t *Table) headers() []string {
	headers := t.Titles()
	for i, c := range t.Columns {
		if c.Header != "" {
			headers[i] = c.Header
		}
	}
	return headers
}
