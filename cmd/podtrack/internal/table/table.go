// Package table prints tables as text for people, CSV, Markdown or LaTeX.
package table

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Column is a column of tables with rows of one type. It is declared once, beside what prints the type.
type Column struct {
	Title  string `json:"title"` // what people read
	Header string `json:"-"`     // its name in CSV, which scripts rely on; "" means the title
	Right  bool   `json:"right"` // aligned right, as numbers are

	// Rank is the order in which columns are hidden where a table is too wide: those of
	// rank 1 first, and of equal ranks the last. Columns of rank 0 follow if that is not enough, and those of rank
	// [Always] stay.
	Rank int `json:"rank"`

	// Shown is what people see of a cell, nil for all of it. CSV has the cell itself.
	Shown func(cell string) string `json:"-"`
	// Whole is what CSV has of a cell, nil for the cell.
	Whole func(cell string) string `json:"-"`

	field  string                                      // of a row, by its name in JSON; a point leads into its own fields
	value  func(row any) any                           // of a pointer to a row, nil for the field
	digits int                                         // after the point, 0 for the row's own: see measuredRow
	text   func(v any, digits int) (s string, ok bool) // of values of one type, nil for the usual
	once   string                                      // field, see [Column.Once]
	ifAny  bool                                        // see [Column.IfAny]
	none   string                                      // text where there is no value
	opens  func(row any) []string                      // see [Opens]
}

// Always is the rank of columns that are never hidden.
const Always = -1

// Left returns a column of text: of a field of the rows, which is named as in JSON, and has that title.
func Left(field string) Column { return Column{Title: field, field: field, none: None} }

// Right returns a column like [Left] that is aligned right.
func Right(field string) Column { return Column{Title: field, Right: true, field: field, none: None} }

// Value returns the column with values that a function makes of rows: texts, numbers, times, or pointers to them, nil
// for none. All columns of a table have the same type T.
func Value[T any](c Column, of func(row *T) any) Column {
	c.value = func(row any) any { return of(row.(*T)) }
	return c
}

// Opens returns the column with cells that name something about which a command prints more: its words of a row, nil
// for none.
func Opens[T any](c Column, command func(row *T) []string) Column {
	c.opens = func(row any) []string { return command(row.(*T)) }
	return c
}

// Format returns the column with cells that a function makes of values of type V.
func Format[V any](c Column, text func(V) string) Column {
	return FormatDigits(c, func(v V, _ int) string { return text(v) })
}

// FormatDigits returns the column with cells that a function makes of values of type V and the column's digits.
func FormatDigits[V any](c Column, text func(v V, digits int) string) Column {
	c.text = func(value any, digits int) (string, bool) {
		if v, ok := value.(V); ok {
			return text(v, digits), true
		}
		return "", false
	}
	return c
}

// Exact returns columns of fields for programs: numbers with all digits, and nothing where there is no value. Their
// titles are the fields, but for the value of an estimate, which is named as the estimate is.
func Exact(fields ...string) (columns []Column) {
	name := strings.NewReplacer(".value", "", ".", "_")
	for _, field := range fields {
		columns = append(columns, Format(Left(field).As(name.Replace(field)).Or(""),
			func(x float64) string { return textfmt.FormatExact(&x) }))
	}
	return columns
}

// measuredRow is a row whose numbers have so many digits after the point where columns say nothing else.
type measuredRow interface{ Digits() int }

// As returns the column with another title than its field.
func (c Column) As(title string) Column {
	c.Title = title
	return c
}

// Or returns the column with that text where there is no value.
func (c Column) Or(none string) Column {
	c.none = none
	return c
}

// Digits returns the column as one of numbers that have so many digits after the point, unless their type is whole.
func (c Column) Digits(n int) Column {
	c.digits = n
	return c
}

// Once returns the column with cells that are empty where a field is the same as in the row above.
func (c Column) Once(field string) Column {
	c.once = field
	return c
}

// PValue returns the column as one of p-values, see [PValue].
func (c Column) PValue(digits int) Column {
	return FormatDigits(c.Digits(digits), func(p float64, digits int) string { return PValue(&p, digits) })
}

// IfAny returns the column as one that a table has only if some row has a value in it, other than 0.
func (c Column) IfAny() Column {
	c.ifAny = true
	return c
}

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

// reader returns a function that returns a field of a row of type T.
func reader[T any](field string) func(row *T) any {
	var path [][]int
	of := reflect.TypeFor[T]()
	for name := range strings.SplitSeq(field, ".") {
		fields := reflect.VisibleFields(of)
		i := slices.IndexFunc(fields, func(f reflect.StructField) bool {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return cmp.Or(tag, f.Name) == name
		})
		if i < 0 {
			panic(fmt.Sprintf("%v has no field %s", of, name))
		}
		path, of = append(path, fields[i].Index), fields[i].Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
	}
	return func(row *T) any {
		v := reflect.ValueOf(row)
		for _, index := range path {
			var err error
			if v, err = reflect.Indirect(v).FieldByIndexErr(index); err != nil || v.Kind() == reflect.Pointer && v.IsNil() {
				return nil
			}
		}
		return v.Interface()
	}
}

// cell returns the text of a value.
func (c Column) cell(value any, digits int) string {
	switch v := reflect.ValueOf(value); {
	case value == nil, v.Kind() == reflect.Pointer && v.IsNil():
		return c.none
	case v.Kind() == reflect.Pointer:
		return c.cell(v.Elem().Interface(), digits)
	}
	if c.text != nil {
		if text, ok := c.text(value, digits); ok {
			return text
		}
	}
	switch v := value.(type) {
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case float64:
		return textfmt.FormatNumber(v, digits)
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	case string:
		return v
	}
	return cmp.Or(fmt.Sprint(value), c.none)
}

// Of returns a table of rows by the columns that their type declares.
func Of[T any](rows []T, columns ...Column) *Table {
	t := &Table{Rows: make([][]string, len(rows))}
	for r := range t.Rows {
		t.Rows[r] = make([]string, 0, len(columns))
	}
	for _, c := range columns {
		read := func(row *T) any { return c.value(row) }
		if c.value == nil {
			read = reader[T](c.field)
		}
		var key func(*T) any
		if c.once != "" {
			key = reader[T](c.once)
		}
		hasAny := !c.ifAny
		for r := range rows {
			value, digits := read(&rows[r]), c.digits
			if of, ok := any(&rows[r]).(measuredRow); ok && digits == 0 {
				digits = of.Digits()
			}
			hasAny = hasAny || value != nil && !reflect.ValueOf(value).IsZero()
			cell := c.cell(value, digits)
			if key != nil && r > 0 && key(&rows[r]) == key(&rows[r-1]) {
				cell = ""
			}
			t.Rows[r] = append(t.Rows[r], cell)
		}
		if hasAny {
			if c.opens != nil {
				opens := c.opens
				c.opens = func(row any) []string { return opens(&rows[row.(int)]) }
			}
			t.Columns = append(t.Columns, c)
			continue
		}
		for r, row := range t.Rows {
			t.Rows[r] = row[:len(t.Columns)]
		}
	}
	return t
}

// Table is a table of text.
type Table struct {
	Columns []Column   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Caption string     `json:"-"` // that LaTeX has as a comment
}

// Opens returns the words of the command that prints more of what a cell names, nil for none.
func (t *Table) Opens(row, column int) []string {
	if opens := t.Columns[column].opens; opens != nil {
		return opens(row)
	}
	return nil
}

// List is a list of tables.
type List []*Table

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

// Titles returns the columns' titles, escaped.
func (t *Table) Titles() []string {
	return textfmt.Map(t.Columns, func(c Column) string { return c.Title })
}

// headers returns the columns' names in CSV.
func (t *Table) headers() []string {
	return textfmt.Map(t.Columns, func(c Column) string { return cmp.Or(c.Header, c.Title) })
}
