package command

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/returns"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// loadReturns reads what the agent earned in a run. It returns an error for an environment without a reward.
func loadReturns(view tracker.Viewer, r report.Run) (*returns.Run, error) {
	if !r.Spec.Env.HasReward() {
		return nil, schema.Hint(fmt.Errorf("run %s has no returns: environment %q declares no reward", r.Label(), r.Env),
			"a program declares one by \"reward\": true in its answer to hello; that is another environment, and another run")
	}
	return returns.Read(view, r.Source)
}

// printReturns prints what the agent earned, if that was read.
func printReturns(w table.Text, d report.Detail) {
	if d.Returns == nil {
		return
	}
	w.TableBelow(withReturns(table.New(table.Right("k")), d))
}

// withReturns adds columns to a table with one row per iteration, or rows to one that has none: what the
// agent earned, if that was read.
func withReturns(g *table.Table, d report.Detail) *table.Table {
	if d.Returns == nil {
		return g
	}
	for _, name := range returns.MeasureNames() {
		title, _ := report.MeasureTitle(name)
		g.Columns = append(g.Columns, table.Right(title))
	}
	if len(g.Rows) == 0 {
		for _, it := range d.Returns.Iterations {
			g.Add(fmt.Sprint(it.K))
		}
	}
	for _, name := range returns.MeasureNames() {
		var values []*float64
		for k := range g.Rows {
			value, _ := d.Returns.Get(name, k)
			values = append(values, value)
		}
		digits := decimalsOf(values...)
		for k, value := range values {
			g.Rows[k] = append(g.Rows[k], table.Number(value, digits))
		}
	}
	return g
}
