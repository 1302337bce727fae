package command

import (
	"fmt"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/plot"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func reproduceCommand() *cli.Command {
	return &cli.Command{
		Name:  "reproduce",
		Usage: "reproduce the paper's results",
		Subcommands: []*cli.Command{{
			Name:  "table1",
			Usage: "run both readings under both observabilities and set them beside Table 1",
			Flags: []cli.Flag{
				cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(), runner.ParallelFlag(),
				runner.RunsFlag(),
			},
			Action: reproduceTable1,
		}, plot.Figure1Command()},
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
		return schema.Hint(fmt.Errorf("reproduce table1 takes no argument %q", c.Args().First()),
			"--runs N takes seeds 0 to N − 1; --store says where they go")
	}
	format, err := table.ParseFormat(c)
	if err != nil {
		return err
	}
	var given *string
	if text := c.String("runs"); c.IsSet("runs") {
		given = &text
	}
	runs, err := runner.ParseRuns(given)
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
	if _, err := runner.RunJobs(c, jobs, nil); err != nil {
		return err
	}
	var t table1.Table
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		t, err = table1.Measure(tx, runs)
		return err
	})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return cmdline.PrintJSON(c.App.Writer, t)
	}
	return printTable1(c.App.Writer, t, format)
}

func printTable1(w io.Writer, t table1.Table, format string) error {
	if err := newTable1Table(t, format).Print(w, format); err != nil {
		return err
	}
	if format != table.Formats[0] {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nEach number is the mean (sd over runs); podtrack's of %d runs, the paper's of "+
		"%d.\n%s.\n\n%s",
		t.Runs, table1.PaperRuns, t.Formula, t.Remarks())
	return err
}

// newTable1Table returns a table with one block per metric: the paper's row, then for each reading
// its row and z-score. In CSV a metric has the name of its measure, elsewhere its title.
func newTable1Table(t table1.Table, format string) *table.Table {
	g := table.New(table.Left("observability"), table.Left("metric"), table.Left("source"))
	for column := range table1.Columns {
		g.Columns = append(g.Columns, table.Right(fmt.Sprintf("iteration %d", column)))
	}
	for _, o := range table1.Observabilities {
		for i, metric := range table1.Metrics {
			settings, name := t.SettingsFor(o.Name), metric.Name
			if format != "csv" {
				name, _ = schema.MeasureTitle(name)
			}
			addPaper(g, o.Name, name, settings[0].Metrics[i])
			for _, s := range settings {
				addMeasured(g, s.Reading, s.Metrics[i])
			}
		}
	}
	return g
}

func addPaper(g *table.Table, observability, metric string, row table1.Row) {
	cells := []string{observability, metric, "paper"}
	for _, c := range row.Cells {
		cells = append(cells, spread(c.PaperMean, c.PaperSD))
	}
	g.Add(cells...)
}

func addMeasured(g *table.Table, reading string, row table1.Row) {
	cells, zs := []string{"", "", reading}, []string{"", "", "  z"}
	for _, c := range row.Cells {
		cells = append(cells, spread(c.Mean, c.SD))
		z := table.None
		if c.Z != nil {
			z = fmt.Sprintf("%+.1f", *c.Z)
		}
		zs = append(zs, z)
	}
	g.Add(cells...)
	g.Add(zs...)
}

func spread(mean, sd *float64) string {
	if mean == nil {
		return table.None
	}
	return fmt.Sprintf("%s (%s)", table.Number(mean, 1), table.Number(sd, 1))
}
