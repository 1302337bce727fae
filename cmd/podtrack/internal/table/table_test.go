package table

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func newTable(columns ...Column) *Table { return &Table{Columns: columns} }

func (t *Table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// inner is what rows of a test embed, or point to.
type inner struct {
	Weight *float64 `json:"weight"`
	Level  grade    `json:"level"`
}

type grade string

type row struct {
	K    int       `json:"k"`
	Name string    `json:"name,omitempty"`
	X    float64   `json:"x"`
	Last *inner    `json:"last"`
	Is   bool      `json:"is"`
	At   time.Time `json:"at"`
	*inner
	places int
}

func (r row) Digits() int { return r.places }

// TestOf: a column has a field of its rows by its name in JSON, also one that is embedded, or behind a pointer.
func TestOf(t *testing.T) {
	weight := 0.25
	rows := []row{
		{K: 1, Name: "a", X: 2.0 / 3, places: 2, Last: &inner{Weight: &weight}, Is: true, At: time.Unix(0, 0)},
		{K: 2, Name: "a", X: -1e-9, inner: &inner{Weight: &weight, Level: "high"}},
	}
	for _, c := range []struct {
		column Column
		want   string
	}{
		{Right("k"), "k: 1 2"},
		{Right("k").As("number").Digits(3), "number: 1 2"},
		{Left("name").Once("name"), "name: a "},
		{Left("k").Once("name"), "k: 1 "},
		{Right("x"), "x: 0.67 0"},
		{Right("x").Digits(1), "x: 0.7 0.0"},
		{Right("x").PValue(2), "x: 0.67 < 0.01"},
		{Right("weight").Digits(1), "weight: – 0.2"},
		{Right("level"), "level: – high"},
		{Right("last.weight"), "last.weight: 0.25 –"},
		{Right("last.level"), "last.level: – –"},
		{Right("last.level").IfAny(), "none"},
		{Right("weight").IfAny(), "weight: – 0"},
		{Left("is"), "is: yes no"},
		{Left("at"), "at: 1970-01-01T00:00:00Z 0001-01-01T00:00:00Z"},
		{Right("X"), "panic: table.row has no field X"},
		{Right("last.x"), "panic: table.inner has no field x"},
		{Value(Left("twice"), func(r *row) any { return 2 * r.K }), "twice: 2 4"},
		{Format(Left("weight"), func(x float64) string { return fmt.Sprintf("%g kg", x) }), "weight: – 0.25 kg"},
		{FormatDigits(Left("last"), func(i inner, digits int) string { return Number(i.Weight, digits) }), "last: 0.25 –"},
	} {
		if got := columnOf(rows, c.column); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := columnOf([]row(nil), Right("k").IfAny()); got != "none" {
		t.Errorf("no rows have %q", got)
	}
}

// columnOf returns the title and the cells of a column.
func columnOf(rows []row, c Column) (text string) {
	defer func() {
		if wrong := recover(); wrong != nil {
			text = fmt.Sprint("panic: ", wrong)
		}
	}()
	t := Of(rows, c, Right("k"))
	if len(t.Columns) == 1 {
		return "none"
	}
	var cells []string
	for _, row := range t.Rows {
		cells = append(cells, row[0])
	}
	return t.Columns[0].Title + ": " + strings.Join(cells, " ")
}
