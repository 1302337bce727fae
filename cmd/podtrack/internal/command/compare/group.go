package compare

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// MeasureFlag returns the flag that selects measures.
func MeasureFlag() cli.Flag {
	return &cli.StringFlag{Name: "measure", Value: DefaultMeasures(),
		Usage: "take the measures in `LIST`, or all: " + strings.Join(schema.MeasureNames(), ", ")}
}

// DefaultMeasures returns the measures of Table 1, as the flag takes them.
func DefaultMeasures() string { return strings.Join(table1.MetricNames(), ",") }

// groupFlags checks the flags that the commands on groups share, and returns the format and the
// measures.
func groupFlags(c *cli.Context) (format string, measures []string, err error) {
	if format, err = table.ParseFormat(c); err != nil {
		return "", nil, err
	}
	measures, err = group.ParseMeasures(c.String("measure"))
	return format, measures, err
}

// ShowGroup implements show --group.
func ShowGroup(c *cli.Context) error {
	format, measures, err := groupFlags(c)
	if err != nil {
		return err
	}
	if c.Bool("spec") {
		return schema.Hint(errors.New("--spec is of one run, --group of many"), "leave one of them out")
	}
	if c.NArg() == 0 {
		return schema.Hint(errors.New("show --group takes runs"), "podtrack show --group seed=0-29 reading=as-written")
	}
	var g group.Group
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		g, err = group.Select(tx, c.Args().Slice()...)
		return err
	})
	if err != nil {
		return err
	}
	s := group.Summarise(g, measures)
	switch {
	case c.Bool("json"):
		return cmdline.PrintJSON(c.App.Writer, s)
	case format != table.Formats[0]:
		cmdline.PrintNotes(c.App.ErrWriter, lackNotes("", s.Lacks))
		return summaryGrid(s, format).Print(c.App.Writer, format)
	}
	return printSummary(c.App.Writer, s)
}

func printSummary(w io.Writer, s group.Summary) error {
	var same, varies []string
	for _, f := range s.Spec {
		if len(f.Values) == 1 {
			same = append(same, f.Field+"="+f.Values[0])
		} else {
			varies = append(varies, f.Field+" ("+listValues(f.Values)+")")
		}
	}
	fmt.Fprintf(w, "group   %s, %s\nspec    %s\n", cmdline.Plural(len(s.Runs), "run"), s.Filter, strings.Join(same, " "))
	if len(varies) > 0 {
		fmt.Fprintf(w, "varies  %s\n", strings.Join(varies, ", "))
	}
	fmt.Fprintln(w)
	notes := lackNotes("", s.Lacks)
	cmdline.PrintNotes(w, notes)
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	return summaryGrid(s, table.Formats[0]).Print(w, table.Formats[0])
}

// summaryGrid returns a table with one row per measure and iteration. In CSV, numbers have full
// precision.
func summaryGrid(s group.Summary, format string) *table.Table {
	digits := func(x *float64) string { return table.Number(x, 2) }
	if format == "csv" {
		digits = report.FormatExact
	}
	g := table.New(table.Left("measure"), table.Right("k"))
	for _, name := range summaryColumns {
		g.Columns = append(g.Columns, table.Right(name).Optional(summaryRanks[name]))
	}
	for _, m := range s.Measures {
		name := m.Measure
		for _, cell := range m.Iterations {
			g.Add(append([]string{name, fmt.Sprint(cell.K)}, summaryCells(cell.Summary, digits)...)...)
			if format != "csv" {
				name = "" // printed once per block
			}
		}
	}
	return g
}

// summaryColumns are the columns of a summary.
var summaryColumns = []string{"n", "mean", "sd", "se", "min", "q1", "median", "q3", "max", "iqm"}

// summaryRanks are the ranks of those columns that may be hidden.
var summaryRanks = map[string]int{"iqm": 1, "se": 2, "q1": 3, "q3": 3}

func summaryCells(s stats.Summary, text func(*float64) string) []string {
	cells := []string{fmt.Sprint(s.N)}
	for _, x := range []*float64{s.Mean, s.SD, s.SE, s.Min, s.Q1, s.Median, s.Q3, s.Max, s.IQM} {
		cells = append(cells, text(x))
	}
	return cells
}
