package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// rejected lists the directions of runs that did not become options.
func rejected(c *cli.Context, runs []report.Run, format string) error {
	rows := []report.Rejected{}
	for _, r := range runs {
		err := openStore(c).View(c.Context, func(tx *tracker.Tx) error {
			found, err := report.LoadRejected(tx, r)
			rows = append(rows, ofIteration(c, found, func(r report.Rejected) int { return r.K })...)
			return err
		})
		if err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, rows)
	}
	g := &grid{columns: []string{"direction", ">σ"}}
	lambdas := slices.ContainsFunc(rows, func(r report.Rejected) bool { return r.Lambda != nil })
	if lambdas {
		g.columns = append(g.columns, ">λ")
	}
	g.columns = append(g.columns, "rejected since")
	for _, r := range rows {
		row := []string{r.Direction, number(&r.Sigma, 3)}
		if lambdas {
			row = append(row, number(r.Lambda, 6))
		}
		g.add(append(row, r.Why)...)
	}
	return g.print(c.App.Writer, format)
}
