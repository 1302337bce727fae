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
	w.TableBelow(table.Of(d.History, append([]table.Column{table.Right("k")}, explorationColumns(x)...)...))
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

// explorationColumns returns the columns of how a run explored, none if that was not read.
func explorationColumns(x *explore.Summary) (columns []table.Column) {
	if x == nil {
		return nil
	}
	for _, m := range explore.MeasureInfos() {
		if !m.IsCensored { // what follows the table says it in words
			columns = append(columns, table.Value(table.Right(m.Title).Optional(m.Rank), func(it *report.Iteration) any {
				value, _ := x.Get(m.Name, it.K)
				return runview.RoundedMeasure(m.Name, value)
			}))
		}
	}
	return columns
}

// printExternalMeasures prints what an external stage measured, if the run has one.
func printExternalMeasures(w table.Text, d report.Detail) {
	if columns := externalColumns(d); len(columns) > 0 && len(d.History) > 0 {
		w.TableBelow(table.Of(d.History, append([]table.Column{table.Right("k")}, columns...)...))
	}
}

// externalColumns returns the columns of what an external stage measured.
func externalColumns(d report.Detail) (columns []table.Column) {
	for _, name := range d.Source.Spec.ExternalMeasureNames() {
		digits := 0
		for _, it := range d.History {
			digits = max(digits, runview.DecimalsOf(it.ExternalMeasures[name]))
		}
		columns = append(columns, table.Value(table.Right(name).Digits(digits),
			func(it *report.Iteration) any { return it.ExternalMeasures[name] }))
	}
	return columns
}
