package sweep

import (
	"cmp"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce", Group: cmdline.GroupRun, Place: 6,
	Example: "podtrack reproduce table1 --runs 2",
	Usage:   "reproduce the paper's Table 1 and Figure 1",
	Args:    "RESULT",
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		return nil, func(c *cli.Context) error {
			if c.NArg() == 0 {
				return schema.Hint(fmt.Errorf("reproduce needs the name of a result"),
					"podtrack reproduce table1 or podtrack reproduce figure1")
			}
			return schema.Hint(fmt.Errorf("unknown result %q", c.Args().First()), "%s",
				textfmt.DidYouMean(c.Args().First(), "results", []string{"table1", "figure1"}))
		}
	},
})

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce table1", Place: 1,
	Example: "podtrack reproduce table1 --runs 2",
	JSON:    []any{table1.Table{}},
	Usage:   "run both readings under both observabilities and compare them with Table 1",
	Description: `Makes the runs of a study that the program has, table1, as podtrack sweep would:
podtrack compare study=table1 shows it, too.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		t := tabling{runs: table1.PaperRuns}
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(), t.ParallelFlag(),
			cmdline.Flag(&t.runs, "runs", "seeds 0 to `N`−1 in each setting"),
		}, cmdline.Answering(t.reproduce)
	},
})

// tabling is the command reproduce table1, with its flags.
type tabling struct {
	runner.Flags
	runs int
}

func (t *tabling) reproduce(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "--runs N takes seeds 0 to N − 1; --store says where they go"); err != nil {
		return a, err
	}
	if t.runs < 1 || t.runs > runset.MaxSeeds {
		return a, schema.Hint(fmt.Errorf("--runs: invalid value %d", t.runs),
			"use a whole number from 1 to %d; the paper's is %d", runset.MaxSeeds, table1.PaperRuns)
	}
	if err := MakePaperRuns(c, t.Flags, "table1", fmt.Sprintf("0-%d", t.runs-1)); err != nil {
		return a, err
	}
	groups, err := group.Choice{Filters: []string{"study=table1"}, Split: true, By: []string{"variant", "setting"}}.Read(
		c.Context, cmdline.OpenStore(c), table1.MetricNames())
	if err != nil {
		return a, err
	}
	measured := table1.Measure(groups, t.runs)
	return cmdline.Answer{
		JSON:   measured,
		Text:   func(w table.Text) { printTable1(w, measured) },
		Tables: func() table.List { return table.List{newTable1Table(measured)} },
	}, nil
}

// MakePaperRuns makes the runs of the paper's experiment with the given seeds, as a study of that name.
func MakePaperRuns(c *cli.Context, with runner.Flags, name, seeds string) error {
	args, err := parseGridFile([]byte(table1.Study), "table1.toml")
	if err != nil {
		return err
	}
	args.study.Name = name
	args.set("seeds", []string{seeds})
	s := sweepRun{Context: c, flags: &flags{Flags: with}}
	if err := s.makePlan(args); err != nil {
		return err
	}
	return s.local(nil)
}

func printTable1(w table.Text, t table1.Table) {
	printTable1Text(w, t)
	w.Blank()
	w.Prose("Each number is the mean (sd over runs); podtrack's of %d runs, the paper's of %d.", t.Runs,
		table1.PaperRuns)
	w.Prose("%s.", t.Formula)
	w.Blank()
	if spreads := t.Spreads(); len(spreads) > 0 { // the paper's standard deviations in multiples of ours
		w.Table(table.Of(spreads, table.Left("Observability").As("observability"),
			table.Format(table.Left("Metric").As("metric"), metricTitle),
			table.Value(table.Right("paper's sd / ours"), func(s *table1.Spread) any { return s.Printed.String() }),
			table.Value(table.Right("rows exchanged"), func(s *table1.Spread) any { return s.Exchanged.String() })))
		w.Blank()
	}
	for _, remark := range t.Remarks() {
		w.Prose("%s", remark)
	}
}

// table1Width is the number of columns from which on Table 1 is printed as one table.
const table1Width = 128

// printTable1Text prints the table, or on a narrow terminal one table for each observability.
func printTable1Text(w table.Text, t table1.Table) {
	if width := table.WidthOf(w); width == 0 || width >= table1Width {
		w.Table(newTable1Table(t))
		return
	}
	for i, o := range table1.Observabilities {
		if i > 0 {
			w.Blank()
		}
		fmt.Fprintf(w, "%s observability\n\n", o.Name)
		w.Table(newNarrowTable1(t, o.Name))
	}
}

// table1Row is a row of Table 1: a text for each iteration.
type table1Row struct {
	Observability, Metric, Source string
	table1.Row
	text func(table1.Cell) string
}

// table1Line is a row that a block has of the paper, or of each reading.
type table1Line struct {
	source string // "" for the reading
	text   func(table1.Cell) string
}

// newTable1Table returns a table with one block per metric: the paper's row, then for each reading
// its row and z-score.
func newTable1Table(t table1.Table) *table.Table {
	var rows []table1Row
	for _, o := range table1.Observabilities {
		rows = append(rows, table1Rows(t, o.Name,
			[]table1Line{{"paper", func(c table1.Cell) string { return spread(c.PaperMean, c.PaperSD) }}},
			[]table1Line{{"", func(c table1.Cell) string { return spread(c.Mean, c.SD) }}, {"  z", formatZ}})...)
	}
	return table1Of(rows, "iteration %d", table.Left("Observability").As("observability"))
}

// newNarrowTable1 returns the table of one observability, in which deviations have rows of their own.
func newNarrowTable1(t table1.Table, observability string) *table.Table {
	return table1Of(table1Rows(t, observability,
		[]table1Line{
			{"paper", func(c table1.Cell) string { return table.Number(c.PaperMean, 1) }},
			{"  sd", func(c table1.Cell) string { return table.Number(c.PaperSD, 1) }},
		},
		[]table1Line{
			{"", func(c table1.Cell) string { return table.Number(c.Mean, 1) }},
			{"  sd", func(c table1.Cell) string { return table.Number(c.SD, 1) }},
			{"  z", formatZ},
		}), "k = %d")
}

// table1Rows returns the rows of an observability. The first of each block names it.
func table1Rows(t table1.Table, observability string, paper, reading []table1Line) (rows []table1Row) {
	settings := t.SettingsFor(observability)
	for i, metric := range table1.Metrics {
		first := len(rows)
		add := func(s table1.Setting, lines []table1Line) {
			for _, l := range lines {
				rows = append(rows, table1Row{Source: cmp.Or(l.source, s.Reading), Row: s.Metrics[i], text: l.text})
			}
		}
		add(settings[0], paper)
		for _, s := range settings {
			add(s, reading)
		}
		rows[first].Observability, rows[first].Metric = observability, metric.Name
	}
	return rows
}

// table1Of returns a table of rows, with a column for each iteration, and others before. In CSV a metric has the name
// of its measure, elsewhere its title.
func table1Of(rows []table1Row, iteration string, columns ...table.Column) *table.Table {
	metric := table.Left("Metric").As("metric")
	metric.Shown = metricTitle
	columns = append(columns, metric, table.Left("Source").As("source"))
	for i := range table1.Columns {
		columns = append(columns, table.Value(table.Right(fmt.Sprintf(iteration, i)),
			func(r *table1Row) any { return r.text(r.Cells[i]) }))
	}
	return table.Of(rows, columns...)
}

func metricTitle(name string) string {
	title, _ := report.MeasureTitle(name)
	return title
}

func spread(mean, sd *float64) string {
	if mean == nil {
		return table.None
	}
	return fmt.Sprintf("%s (%s)", table.Number(mean, 1), table.Number(sd, 1))
}

func formatZ(c table1.Cell) string {
	if c.Z == nil {
		return table.None
	}
	return fmt.Sprintf("%+.1f", *c.Z)
}
