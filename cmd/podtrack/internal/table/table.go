// Package table prints tables as text for people, CSV, Markdown or LaTeX.
package table

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Column is a column of a table.
type Column struct {
	Title  string `json:"title"` // what people read
	Header string `json:"-"`     // its name in CSV, which scripts rely on; "" means the title
	Right  bool   `json:"right"` // aligned right, as numbers are

	// Rank is the order in which columns are hidden where a table is too wide: those of
	// rank 1 first, and of equal ranks the last. Columns of rank 0 follow if that is not enough, and those of rank
	// [Always] stay.
	Rank int `json:"rank"`

	// digits are those after the point of a number that is not whole: see [Column.Digits].
	digits int

	// Shown is what people see of a cell, nil for all of it. CSV has the cell itself.
	Shown func(cell string) string `json:"-"`
	// Whole is what CSV has of a cell, nil for the cell.
	Whole func(cell string) string `json:"-"`
}

// Always is the rank of columns that are never hidden.
const Always = -1

// A Col is a column of tables with rows of one type. It is declared once, beside what prints the type.
type Col[T any] struct {
	Column
	Value func(row *T) any    // a text, a number, a time, or a pointer to one, nil for none
	If    func(rows []T) bool // whether the table has the column, nil for always
	Whole func(row *T) string // what CSV has of the value, nil for the same
}

// Of returns a table of rows by the columns that their type declares.
func Of[T any](rows []T, columns ...Col[T]) *Table {
	t := &Table{Rows: make([][]string, len(rows))}
	columns = slices.DeleteFunc(slices.Clone(columns), func(c Col[T]) bool { return c.If != nil && !c.If(rows) })
	cells := make([]string, len(rows)*len(columns))
	for r := range rows {
		t.Rows[r], cells = cells[:len(columns):len(columns)], cells[len(columns):]
	}
	for i, c := range columns {
		t.Columns = append(t.Columns, c.Column)
		wholes := map[string]string{}
		for r := range rows {
			t.Rows[r][i] = c.format(c.Value(&rows[r]))
			if c.Whole != nil {
				wholes[t.Rows[r][i]] = c.Whole(&rows[r])
			}
		}
		if c.Whole != nil {
			t.Columns[i].Whole = func(cell string) string { return wholes[cell] }
		}
	}
	return t
}

// Any returns a condition of a column: some row has a value in it.
func Any[T any, V comparable](of func(*T) V) func(rows []T) bool {
	var none V
	return func(rows []T) bool {
		return slices.ContainsFunc(rows, func(row T) bool { return of(&row) != none })
	}
}

// format returns the text of a cell.
func (c Column) format(value any) string {
	switch v := value.(type) {
	case nil:
		return None
	case string:
		return v
	case float64:
		return Number(&v, c.digits)
	case *float64:
		return Number(v, c.digits)
	case *int64:
		return Number(v, 0)
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	}
	return fmt.Sprint(value)
}

// Left returns a column of text.
func Left(title string) Column { return Column{Title: title} }

// Right returns a column that is aligned right.
func Right(title string) Column { return Column{Title: title, Right: true} }

// Digest returns the column as one of digests, of which people see so many characters.
func (c Column) Digest(characters int) Column {
	c.Shown = func(cell string) string { return cell[:min(characters, len(cell))] }
	return c
}

// Refs returns the column as one of references, which whole completes for CSV.
func (c Column) Refs(whole func(ref string) string) Column {
	c.Whole = whole
	return c
}

// Time returns the column as one of times in UTC, which CSV has as RFC 3339 does; its title says UTC.
func (c Column) Time() Column {
	c.Header, c.Title = cmp.Or(c.Header, c.Title), c.Title+" (UTC)"
	c.Shown = func(cell string) string {
		t, err := time.Parse(time.RFC3339, cell)
		if err != nil {
			return cell
		}
		return t.UTC().Format(time.DateTime)
	}
	return c
}

// Digits returns the column as one of numbers that have so many digits after the point, unless their type is whole.
func (c Column) Digits(n int) Column {
	c.digits = n
	return c
}

// CSV returns the column with another name in CSV than its title.
func (c Column) CSV(header string) Column {
	c.Header = header
	return c
}

// Optional returns the column with a rank, so that it may be hidden.
func (c Column) Optional(rank int) Column {
	c.Rank = rank
	return c
}

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
