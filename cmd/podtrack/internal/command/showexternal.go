package command

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
)

// printExternalMeasures prints what an external stage measured, if the run has one.
func printExternalMeasures(w table.Text, d report.Detail) {
	if len(d.Source.Spec.ExternalMeasureNames()) == 0 || len(d.History) == 0 {
		return
	}
	w.Blank()
	g := table.New(table.Right("k"))
	for _, it := range d.History {
		g.Add(fmt.Sprint(it.K))
	}
	w.Table(withExternalMeasures(g, d))
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
