package command

import (
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// rejected prints the directions of the runs that did not become options.
func rejected(c *cli.Context, runs []report.Run, format string) error {
	rows := []report.Rejected{}
	for _, r := range runs {
		err := cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
			found, err := report.LoadRejected(tx, r)
			rows = append(rows, cmdline.OfIteration(c, found, func(r report.Rejected) int { return r.K })...)
			return err
		})
		if err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return cmdline.PrintJSON(c.App.Writer, rows)
	}
	whole := report.WholeRefs(cmdline.IDsOf(rows, func(r report.Rejected) schema.Digest { return r.Run })...)
	g := table.New(table.Left("direction").Refs(whole), table.Right("σ"))
	lambdas := slices.ContainsFunc(rows, func(r report.Rejected) bool { return r.Lambda != nil })
	if lambdas {
		g.Columns = append(g.Columns, table.Right("λ"))
	}
	g.Columns = append(g.Columns, table.Left("reason").CSV("rejected since"))
	for _, r := range rows {
		row := []string{r.Direction, table.Number(&r.Sigma, 3)}
		if lambdas {
			row = append(row, table.Number(r.Lambda, 6))
		}
		g.Add(append(row, r.Why)...)
	}
	return g.Print(c.App.Writer, format)
}
