package groupview

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// MeasureFlag returns the flag that selects measures.
func MeasureFlag(p *string) cli.Flag {
	return cmdline.Flag(p, "measure", "take the measures in `LIST`: "+group.MeasuresUsage())
}

// DefaultMeasures returns the measures of Table 1, as the flag takes them.
func DefaultMeasures() string { return strings.Join(table1.MetricNames(), ",") }

func printSummary(w table.Text, all group.Summaries) {
	s := all.Groups[0]
	var same, varies []string
	for _, f := range s.Spec {
		if len(f.Values) == 1 {
			same = append(same, report.FormatTerm(f.Field, f.Values[0]))
		} else {
			varies = append(varies, f.Field+" ("+listValues(f.Values)+")")
		}
	}
	w.Wrapped("group   %s, %s", textfmt.CountOf(len(s.Runs), "run"), s.Filter)
	w.Wrapped("spec    %s", strings.Join(same, " "))
	if len(varies) > 0 {
		w.Wrapped("varies  %s", strings.Join(varies, ", "))
	}
	w.Blank()
	printWhatDiffers(w, new(table.Table), LackNotes(all))
	w.Table(summaryGrid(s))
	fmt.Fprintf(w, "\nInterval: of the mean, %s over the runs.\n", stats.StudentT)
}

func intervalTitle(level float64) string { return fmt.Sprintf("%.4g %% interval", 100*level) }

// interval formats an interval, which may be missing.
func interval(low, high *float64, digits int) string {
	return cmp.Or(textfmt.FormatInterval(low, high, digits), table.None)
}

// censoredText returns how many of the runs count with the budget, as " (8 of 10 ≥ 500)" after a mean; "" if none does.
func censoredText(s stats.Summary) string {
	if s.Censored == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d ≥ %s)", s.Censored, s.N, table.Number(s.Budget, 0))
}

// Columns of CSV: a restricted mean, an interval, and how a sample differs from another.
var (
	censoredColumns = []string{"censored", "budget"}
	intervalColumns = []string{"interval_low", "interval_high"}
	effectColumns   = []string{"difference.value", "difference.interval_low", "difference.interval_high",
		"improvement.value", "improvement.interval_low", "improvement.interval_high", "p_value"}
)

// summaryColumns are the columns of a summary.
var summaryColumns = []string{"n", "mean", "sd", "se", "min", "q1", "median", "q3", "max", "iqm"}

// summaryRanks are the ranks of those columns that may be hidden.
var summaryRanks = map[string]int{"iqm": 1, "se": 2, "q1": 3, "q3": 3}

// measureRow is a row of a measure, which is printed once a block.
type measureRow struct {
	Measure string `json:"measure"`
}

// Digits returns how many digits after the point the measure has.
func (r measureRow) Digits() int { return report.MeasureDigits(r.Measure) }

var measureColumn = table.Format(table.Left("measure").Once("measure"), func(name string) string {
	title, _ := report.MeasureTitle(name)
	return title
})

// summaryRow is a measure of a group in an iteration.
type summaryRow struct {
	group.Cell
	measureRow
	of group.Group
}

func summaryRows(groups []group.Summary, shown iterations) (rows []summaryRow) {
	for _, s := range groups {
		for _, m := range s.Measures {
			for _, cell := range m.Iterations {
				if shown.shows(cell.K) {
					rows = append(rows, summaryRow{cell, measureRow{m.Measure}, s.Group})
				}
			}
		}
	}
	return rows
}

// summaryCSV returns a table with a row for each group, measure and iteration, with the values of
// the fields by which the groups were made.
func summaryCSV(by []string, groups []group.Summary, shown iterations) *table.Table {
	var columns []table.Column
	for i, field := range by {
		columns = append(columns, table.Value(table.Left(field), func(r *summaryRow) any { return r.of.Values[i] }))
	}
	return table.Of(summaryRows(groups, shown), append(columns, table.Exact(slices.Concat([]string{"measure", "k"},
		summaryColumns, intervalColumns, censoredColumns)...)...)...)
}

// summaryGrid returns a table with one row per measure and iteration.
func summaryGrid(s group.Summary) *table.Table {
	columns := []table.Column{measureColumn, table.Right("k"), table.Right("n"),
		table.FormatDigits(table.Right("Summary").As("mean"), meanText),
		table.FormatDigits(table.Right("Summary").As(intervalTitle(stats.Level)), meanInterval)}
	for _, name := range summaryColumns[2:] {
		columns = append(columns, table.Right(name).Optional(summaryRanks[name]))
	}
	return table.Of(summaryRows([]group.Summary{s}, iterations{all: true}), columns...)
}

func meanText(s stats.Summary, digits int) string {
	return table.Number(s.Mean, digits) + censoredText(s)
}

func meanInterval(s stats.Summary, digits int) string { return interval(s.Low, s.High, digits) }

// Show implements show --group.
func (s *Selection) Show(c *cli.Context) (a cmdline.Answer, err error) {
	measures, err := group.ParseMeasures(s.measure)
	if err != nil {
		return a, err
	}
	switch {
	case c.NArg() == 0:
		return a, schema.Hint(errors.New("show --group needs runs"), "podtrack show --group seed=0-29 reading=as-written")
	case s.by == nil && s.iteration != nil:
		return a, schema.Hint(errors.New("--iteration without --by"),
			"a single group has a row for each iteration; leave --iteration out")
	}
	var by []string
	if s.by != nil {
		if by, err = group.ParseBy(*s.by); err != nil {
			return a, err
		}
	}
	groups, err := group.Choice{Filters: c.Args().Slice(), Split: true, By: by}.Read(c.Context, cmdline.OpenStore(c),
		measures)
	if err != nil {
		return a, err
	}
	filter := report.FormatSelection(report.SplitSelection(c.Args().Slice()))
	if s.by == nil {
		groups[0].Filter = filter
	}
	all, isCSV, usual := group.SummariseAll(by, groups, measures), table.WantsCSV(c), "last"
	if isCSV || s.by == nil {
		usual = "all"
	}
	shown, err := s.iterations(usual, all.Last, all.Reach)
	a = cmdline.Answer{
		JSON: all, Title: "Groups of runs",
		Text: func(w table.Text) { printGroups(w, all, filter, shown) },
		Tables: func() table.List {
			cmdline.PrintNotes(c.App.ErrWriter, LackNotes(all))
			switch {
			case isCSV:
				return table.List{summaryCSV(all.By, all.Groups, shown)}
			case s.by == nil:
				return table.List{summaryGrid(all.Groups[0])}
			}
			return table.List{groupsGrid(all, shown)}
		},
	}
	if s.by == nil {
		a.JSON, a.Text = all.Groups[0], func(w table.Text) { printSummary(w, all) }
	}
	return a, err
}

// Selection holds the flags of groups: their measures, what makes groups, and the iterations that are shown.
type Selection struct {
	measure       string
	by, iteration *string
}

// NewSelection returns the selection without flags.
func NewSelection() Selection { return Selection{measure: DefaultMeasures()} }

// Flags returns the flags --measure, --by and --iteration; otherwise is the default of --iteration.
func (s *Selection) Flags(otherwise string) []cli.Flag {
	return []cli.Flag{
		MeasureFlag(&s.measure), ByFlag(&s.by),
		cmdline.Optional(&s.iteration, "iteration", "show iteration `K`, last or all", otherwise),
	}
}

// iterations are the iterations that a table shows: one or all.
type iterations struct {
	all bool
	k   int
}

// shows reports whether a table has rows of iteration k.
func (i iterations) shows(k int) bool { return i.all || i.k == k }

// iterations parses --iteration, or usual if the flag is not given. last is the last iteration that all runs have,
// reach the largest number of iterations of a run.
func (s *Selection) iterations(usual string, last, reach int) (iterations, error) {
	if s.iteration != nil {
		usual = *s.iteration
	}
	switch usual {
	case "all":
		return iterations{all: true}, nil
	case "last":
		return iterations{k: last}, nil
	}
	k, err := strconv.Atoi(usual)
	if err != nil || k < 0 || k >= reach {
		return iterations{}, schema.Hint(fmt.Errorf("--iteration: invalid value %q", usual),
			"give a number from 0 to %d, last, or all", reach-1)
	}
	return iterations{k: k}, nil
}
