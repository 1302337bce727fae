package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

func reproduceCommand() *cli.Command {
	return &cli.Command{
		Name:  "reproduce",
		Usage: "reproduce the paper's results",
		Subcommands: []*cli.Command{{
			Name:  "table1",
			Usage: "run both readings under both observabilities and set them beside Table 1",
			Flags: []cli.Flag{
				storeFlag(), jsonFlag(), formatFlag(), parallelFlag(),
				runsFlag(),
			},
			Action: reproduceTable1,
		}, figure1Command()},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return schema.Hint(fmt.Errorf("reproduce what?"), reproduceHint)
			}
			return schema.Hint(fmt.Errorf("reproduce does not know %q", c.Args().First()), reproduceHint)
		},
	}
}

const reproduceHint = "podtrack reproduce table1 or podtrack reproduce figure1"

func reproduceTable1(c *cli.Context) error {
	if c.NArg() > 0 {
		return schema.Hint(fmt.Errorf("reproduce table1 takes no argument %q", c.Args().First()), "--runs N takes seeds 0 to N − 1; --store says where they go")
	}
	format, err := formatOf(c)
	if err != nil {
		return err
	}
	runs, err := parseRuns(c)
	if err != nil {
		return err
	}
	specs, err := table1.AllSpecs(runs)
	if err != nil {
		return err
	}
	var jobs []replay.Job
	for _, s := range specs {
		jobs = append(jobs, replay.Job{Spec: s, Target: table1.Columns})
	}
	if _, err := perform(c, jobs); err != nil {
		return err
	}
	var t table1.Table
	err = openStore(c).View(c.Context, func(tx *tracker.Tx) error {
		t, err = table1.Measure(tx, runs)
		return err
	})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, t)
	}
	return printTable1(c.App.Writer, t, format)
}

func printTable1(w io.Writer, t table1.Table, format string) error {
	if err := table1Grid(t).print(w, format); err != nil {
		return err
	}
	if format != formats[0] {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nEach number is the mean (sd over runs); ours of %d runs, the paper's of %d.\n%s.\n\n%s",
		t.Runs, table1.PaperRuns, t.Formula, t.Remarks())
	return err
}

// table1Grid has a block a metric: the paper's row, then each reading's and its z.
func table1Grid(t table1.Table) *grid {
	g := &grid{columns: []string{"observability", "metric", "source"}}
	for column := range table1.Columns {
		g.columns = append(g.columns, fmt.Sprintf(">iteration %d", column))
	}
	for _, o := range table1.Observabilities {
		for i, metric := range table1.Metrics {
			settings := t.SettingsFor(o.Name)
			addPaper(g, o.Name, metric.Name, settings[0].Metrics[i])
			for _, s := range settings {
				addMeasured(g, s.Reading, s.Metrics[i])
			}
		}
	}
	return g
}

func addPaper(g *grid, observability, metric string, row table1.Row) {
	cells := []string{observability, metric, "paper"}
	for _, c := range row.Cells {
		cells = append(cells, spread(c.PaperMean, c.PaperSD))
	}
	g.add(cells...)
}

func addMeasured(g *grid, reading string, row table1.Row) {
	cells, zs := []string{"", "", reading}, []string{"", "", "  z"}
	for _, c := range row.Cells {
		cells = append(cells, spread(c.Mean, c.SD))
		z := none
		if c.Z != nil {
			z = fmt.Sprintf("%+.1f", *c.Z)
		}
		zs = append(zs, z)
	}
	g.add(cells...)
	g.add(zs...)
}

func spread(mean, sd *float64) string {
	if mean == nil {
		return none
	}
	return fmt.Sprintf("%s (%s)", number(mean, 1), number(sd, 1))
}
