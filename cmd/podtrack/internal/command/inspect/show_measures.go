package inspect

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// printCoverage prints how the run explored, if that was read.
func printCoverage(w table.Text, d report.Detail) {
	x := d.Exploration
	if x == nil {
		return
	}
	w.Blank()
	g := table.New(table.Right("k"))
	w.Table(withExploration(g, d))
	w.Blank()
	w.Prose("%s", coverageText(x))
	if x.Pruned != nil {
		w.Prose("Options are pruned, and what follows from them is left out; podtrack repair --pruned %s brings "+
			"them back.", textfmt.ShellQuote(d.Label()))
	}
}

// coverageText returns in a sentence which states a run covered, and how fast.
func coverageText(x *explore.Summary) string {
	switch {
	case x.Covered == nil:
		return "Imported rows have no states: only those that were visited could be counted."
	case x.States == nil:
		return fmt.Sprintf("Covered: %d states in %d steps. How many the environment has is not known.", *x.Covered,
			x.Steps)
	}
	text := fmt.Sprintf("Covered: %d of the %d states that can be reached, in %d steps", *x.Covered, *x.States, x.Steps)
	for _, part := range []struct {
		name  string
		steps *int64
	}{{"a quarter", x.StepsToQuarter}, {"half", x.StepsToHalf}, {"all", x.StepsToAll}} {
		if part.steps == nil {
			return text + fmt.Sprintf("; %s of them not yet.", part.name)
		}
		text += fmt.Sprintf("; %s of them after %d", part.name, *part.steps)
	}
	return text + "."
}

// withExploration adds columns to a table with one row per iteration, or rows to one that has none: how
// the run explored, if that was read.
func withExploration(g *table.Table, d report.Detail) *table.Table {
	x := d.Exploration
	if x == nil {
		return g
	}
	if len(g.Rows) == 0 {
		for _, it := range x.Iterations {
			g.Add(fmt.Sprint(it.K))
		}
	}
	for _, m := range explore.MeasureInfos() {
		if m.IsCensored {
			continue // what follows the table says it in words
		}
		g.Columns = append(g.Columns, table.Right(m.Title).Optional(m.Rank))
		for k := range g.Rows {
			value, _ := x.Get(m.Name, k)
			g.Rows[k] = append(g.Rows[k], runview.RoundedMeasure(m.Name, value))
		}
	}
	return g
}

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
		digits := runview.DecimalsOf(values...)
		for i, value := range values {
			g.Rows[i] = append(g.Rows[i], table.Number(value, digits))
		}
	}
	return g
}
