package command

import (
	"fmt"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
)

// printExternalMeasures prints what an external stage measured, if the run has one.
func printExternalMeasures(w io.Writer, d report.Detail) error {
	if len(d.Source.Spec.ExternalMeasureNames()) == 0 || len(d.History) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	g := table.New(table.Right("k"))
	for _, it := range d.History {
		g.Add(fmt.Sprint(it.K))
	}
	return withExternalMeasures(g, d).Print(w, table.Formats[0])
}

// withExternalMeasures adds columns to a table with one row per iteration: what an external stage measured.
func withExternalMeasures(g *table.Table, d report.Detail) *table.Table {
	for _, name := range d.Source.Spec.ExternalMeasureNames() {
		g.Columns = append(g.Columns, table.Right(name))
		var values []*float64
		for _, it := range d.History {
			values = append(values, it.ExternalMeasures[name])
		}
		digits := decimalsOf(values...)
		for i, value := range values {
			g.Rows[i] = append(g.Rows[i], table.Number(value, digits))
		}
	}
	return g
}
