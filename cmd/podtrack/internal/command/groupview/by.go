package groupview

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/urfave/cli/v2"
)

// ByFlag returns the flag --by.
func ByFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "by",
		"make a group of the runs with the same values of the fields in `LIST`, such as kappa,reading", "")
}

// LackNotes returns notes on the runs of all groups that lack iterations, or may lack a measure.
func LackNotes(s group.Summaries) []string {
	var groups []group.Group
	for _, g := range s.Groups {
		groups = append(groups, g.Group)
	}
	measures := textfmt.Map(s.Groups[0].Measures, func(m group.Series) string { return m.Measure })
	return append(MissingNotes(groups), censoredNotes(measures)...)
}

// MissingNotes returns notes on the runs of groups that were set aside, and on iterations that others lack.
func MissingNotes(groups []group.Group) []string {
	var lacks []group.MissingRun
	var aside []group.Dependent
	for _, g := range groups {
		lacks, aside = append(lacks, g.Lacks...), append(aside, g.SetAside...)
	}
	return append(asideNotes("", aside), lackNotes("", lacks)...)
}

func printGroups(w table.Text, s group.Summaries, filter string, shown iterations) {
	runs := 0
	for _, g := range s.Groups {
		runs += len(g.Runs)
	}
	title := fmt.Sprintf("%s of %s, %s by %s", textfmt.CountOf(runs, "run"), filter,
		textfmt.CountOf(len(s.Groups), "group"), strings.Join(s.By, ", "))
	if !shown.all {
		title += fmt.Sprintf("; iteration %d", shown.k)
	}
	if !shown.all && shown.k == s.Last && s.Last < s.Reach-1 {
		title += ", the last that all groups have"
	}
	w.Wrapped("%s", title)
	w.Blank()
	printWhatDiffers(w, new(table.Table), LackNotes(s))
	w.Table(groupsGrid(s, shown))
	w.Blank()
	w.Prose("Means over runs ± half of their %g %% interval (%s), or with the interval where it ends at the least or the "+
		"most that there can be.", 100*s.Level, s.Interval)
	if !shown.all {
		w.Prose("--iteration all shows every iteration; --format csv and --json have all statistics.")
	}
}

// groupRow is a group in iteration K.
type groupRow struct {
	group.Summary
	K int
}

// groupsGrid returns a table with a row for each group and iteration, and a column for each measure.
func groupsGrid(s group.Summaries, shown iterations) *table.Table {
	var rows []groupRow
	for _, of := range s.Groups {
		for k := range s.Reach {
			if shown.shows(k) {
				rows = append(rows, groupRow{of, k})
			}
		}
	}
	var columns []table.Column
	for i, field := range s.By {
		columns = append(columns, table.Value(table.Left(field),
			func(r *groupRow) any { return cmp.Or(r.Values[i], table.None) }))
	}
	if shown.all {
		columns = append(columns, table.Right("K").As("k"))
	}
	columns = append(columns, table.Value(table.Right("n").Optional(len(s.Groups[0].Measures)),
		func(r *groupRow) any { return countOf(r.Summary, r.K) }))
	for i, m := range s.Groups[0].Measures {
		title, _ := report.MeasureTitle(m.Measure)
		columns = append(columns, table.Value(table.Right(title).Optional(i), func(r *groupRow) any {
			return halfWidth(r.Measures[i].Iterations[r.K].Summary, report.MeasureDigits(m.Measure))
		}))
	}
	return table.Of(rows, columns...)
}

// countOf returns how many runs of a group have iteration k. Fewer may have a measure.
func countOf(s group.Summary, k int) (most int) {
	for _, m := range s.Measures {
		most = max(most, m.Iterations[k].N)
	}
	return most
}

// halfWidth formats a mean and how far its interval reaches to either side, or the interval if that ends where the
// measure does.
func halfWidth(s stats.Summary, digits int) string {
	switch {
	case s.Mean == nil:
		return table.None
	case s.High == nil:
		return table.Number(s.Mean, digits) + censoredText(s)
	}
	up, down := *s.High-*s.Mean, *s.Mean-*s.Low
	if math.Abs(up-down) > 1e-9*(up+down) {
		return table.Number(s.Mean, digits) + " " + interval(s.Low, s.High, digits) + censoredText(s)
	}
	return table.Number(s.Mean, digits) + " ± " + table.Number(&up, digits) + censoredText(s)
}
