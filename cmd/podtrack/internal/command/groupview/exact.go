package groupview

import (
	"cmp"
	"encoding/json"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// fields are fields of a row for programs, by their names.
type fields map[string]any

// newExact returns a table for programs: its columns are fields of JSON, see [addExact].
func newExact(columns ...string) *table.Table {
	g := &table.Table{}
	for _, name := range columns {
		g.Columns = append(g.Columns, table.Left(name))
	}
	return g
}

// addExact adds a row with what values have of the columns in JSON: numbers with all digits, and nothing for null. The
// parts of an estimate have its name before theirs, but for its value, which has the name alone.
func addExact(g *table.Table, values ...any) {
	cells := map[string]string{}
	var add func(prefix string, of map[string]any)
	add = func(prefix string, of map[string]any) {
		for name, x := range of {
			switch x := x.(type) {
			case float64:
				cells[prefix+name] = textfmt.FormatExact(&x)
			case string:
				cells[prefix+name] = x
			case map[string]any:
				add(name+"_", x)
			}
		}
	}
	for _, v := range values {
		var of map[string]any
		text, _ := json.Marshal(v) // results can be encoded: --json prints them
		_ = json.Unmarshal(text, &of)
		add("", of)
	}
	row := make([]string, len(g.Columns))
	for i, c := range g.Columns {
		row[i] = cmp.Or(cells[c.Title], cells[c.Title+"_value"])
	}
	g.Add(row...)
}
