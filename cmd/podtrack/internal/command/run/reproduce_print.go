package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/groupview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/study"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textfmt"
)

func printExploration(w table.Text, r *study.Result) {
	fmt.Fprintf(w, "%s\n\n", r.Title)
	w.Table(newOutcomeTable(r))
	w.Blank()
	w.Prose("%s", outcomeLegend(r))
	if r.Seeds < r.Registered {
		w.Prose("The study is of %d seeds.", r.Registered)
	}
	for _, of := range r.Settings {
		if lost := newLostTable(r, of.Name); len(lost.Rows) > 0 {
			fmt.Fprintf(w, "\nWhere options end: %s\n\n", of.About)
			w.Table(lost)
		}
	}
	if len(r.Lost) > 0 {
		w.Blank()
		w.Prose("Directions: mean number an iteration. Mean steps: of a call from a state that was visited. "+
			"Beyond: share of those calls that end in a state not visited yet. Of %d seeds.", min(r.Seeds, study.LostSeeds))
	}
	for _, line := range goalLines(r) {
		w.Blank()
		w.Prose("%s", line)
	}
}

// newOutcomeTable returns the table of means by variant and setting, with a sign for each comparison.
func newOutcomeTable(r *study.Result) *table.Table {
	g := table.New(table.Left("variant"))
	for _, s := range r.Settings {
		g.Columns = append(g.Columns, table.Right(s.Name))
	}
	for i, v := range r.Settings[0].Variants {
		cells := []string{v.Name}
		for _, s := range r.Settings {
			cells = append(cells, outcomeText(s.Variants[i], len(r.Reference)))
		}
		g.Add(cells...)
	}
	return g
}

// outcomeText returns the mean, with + or − for each reference that it differs from.
func outcomeText(v study.VariantResult, references int) string {
	signs := ""
	for _, a := range v.Against {
		signs += map[stats.Verdict]string{stats.More: "+", stats.Less: "−"}[a.Verdict]
		if !a.Verdict.IsSettled() {
			signs += "·"
		}
	}
	signs = strings.Repeat(" ", references-len(v.Against)) + signs // of the references the later ones are left
	if v.Mean == nil {
		return table.None
	}
	digits := 1
	if v.Mean.Value >= 100 {
		digits = 0
	}
	return fmt.Sprintf("%s %s", textfmt.FormatNumber(v.Mean.Value, digits), signs)
}

func outcomeLegend(r *study.Result) string {
	var distances []string
	for _, s := range r.Settings {
		if s.Outcome == study.Distance {
			distances = append(distances, s.Name)
		}
	}
	what := "States visited in all iterations"
	if len(distances) > 0 {
		what = fmt.Sprintf("%s: mean farthest distance in iterations 1 to %d. Elsewhere: states visited in all iterations",
			strings.Join(distances, "; "), r.Iterations-1)
	}
	if r.Seeds == 1 {
		return fmt.Sprintf("%s. One seed: nothing is compared.", what)
	}
	return fmt.Sprintf("%s. Means over %d seeds from %d on, %d iterations. The signs: more (+) or less (−) than %s, or "+
		"not settled (·), by seed (%s; the two with each other once): p is at most %.2g after Holm's correction for %d "+
		"comparisons, and the interval at %.4g %% excludes 0.",
		what, r.Seeds, r.FirstSeed, r.Iterations, strings.Join(r.Reference, ", and than "),
		stats.PairedT, stats.Significance, r.Comparisons, 100*r.EachLevel)
}

// newLostTable returns what became of the options of a setting.
func newLostTable(r *study.Result, setting string) *table.Table {
	g := table.New(table.Left("variant"), table.Left("σ"), table.Right("directions"), table.Right("mean steps"),
		table.Right("beyond"))
	for _, l := range r.Lost {
		if l.Setting == setting {
			g.Add(l.Variant, l.Sigma, textfmt.FormatNumber(l.Directions, 1), table.Number(l.Steps, 1),
				percentText(l.Beyond))
		}
	}
	return g
}

func percentText(share *float64) string {
	if share == nil {
		return table.None
	}
	return strconv.FormatFloat(100**share, 'f', 1, 64) + " %"
}

// goalLines returns lines on how far the candidate of the study came, none if that was not asked.
func goalLines(r *study.Result) (lines []string) {
	if r.Goal == nil {
		return nil
	}
	reached := "was reached"
	if !r.Goal.Reached {
		reached = "was not reached"
	}
	lines = append(lines, fmt.Sprintf("The goal, at least twice the mean distance of %s, and more states than %s "+
		"wherever the model is known, %s by %s:",
		r.Reference[0], r.Reference[1], reached, r.Goal.Candidate))
	for _, s := range r.Goal.Settings {
		if s.Outcome == study.Distance {
			lines = append(lines, fmt.Sprintf("%s: %s times the distance.", s.Setting, estimateText(s.Ratio, 2)))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s more states.", s.Setting, estimateText(s.Gain, 1)))
	}
	return append(lines, fmt.Sprintf("Intervals of ratios: %g %%; of states: %.4g %%, for %d comparisons.",
		100*stats.Level, 100*r.EachLevel, r.Comparisons))
}

// estimateText returns a number with its interval.
func estimateText(e *stats.Estimate, digits int) string {
	if e == nil {
		return table.None
	}
	text := textfmt.FormatNumber(e.Value, digits)
	if interval := textfmt.FormatInterval(e.Low, e.High, digits); interval != "" {
		text += " " + interval
	}
	return text
}

// newExplorationTable returns all numbers, a row for each variant in a setting and each reference, for
// programs and papers.
func newExplorationTable(r *study.Result) *table.Table {
	g := table.New(table.Left("setting"), table.Left("outcome"), table.Left("variant"), table.Right("n"),
		table.Right("mean"), table.Right("interval_low"), table.Right("interval_high"), table.Right("ratio"),
		table.Right("ratio_low"), table.Right("ratio_high"), table.Right("covered"), table.Right("reached_half"),
		table.Right("median_steps_to_half"), table.Left("reference"), table.Right("difference"),
		table.Right("difference_low"), table.Right("difference_high"), table.Right("p_holm"), table.Left("verdict"),
		table.Right("difference_level"))
	for _, s := range r.Settings {
		for _, v := range s.Variants {
			cells := []string{s.Name, s.Outcome, v.Name, strconv.Itoa(len(v.Values))}
			cells = append(cells, groupview.ExactEstimate(v.Mean)...)
			cells = append(cells, groupview.ExactEstimate(v.Ratio)...)
			cells = append(cells, groupview.ExactEstimate(v.Covered)[0], halfText(v.Half, ""),
				textfmt.FormatExact(v.HalfMedian))
			if len(v.Against) == 0 {
				g.Add(append(cells, "", "", "", "", "", "", "")...)
			}
			for _, a := range v.Against {
				row := append(slices.Clone(cells), a.Reference)
				row = append(append(row, groupview.ExactEstimate(a.Difference)...), textfmt.FormatExact(a.Adjusted))
				g.Add(append(row, string(a.Verdict), textfmt.FormatExact(&r.EachLevel))...)
			}
		}
	}
	return g
}

// newStudyTable returns the means of each iteration, and when half of the states had been visited.
func newStudyTable(r *study.Result) *table.Table {
	g := table.New(table.Left("setting"), table.Left("variant"), table.Left("measure"))
	for k := range r.Iterations {
		g.Columns = append(g.Columns, table.Right(fmt.Sprintf("iteration %d", k)))
	}
	g.Columns = append(g.Columns, table.Right("reached half"), table.Right("median steps to half"))
	for _, s := range r.Settings {
		for _, v := range s.Variants {
			g.Add(append(iterationCells(s.Name, v.Name, "distance", v.Distances, r.Iterations), "", "")...)
			g.Add(append(iterationCells(s.Name, v.Name, "states", v.States, r.Iterations), "", "")...)
			g.Add(append(iterationCells(s.Name, v.Name, "covered", v.Coverage, r.Iterations),
				halfText(v.Half, fmt.Sprintf(" of %d", r.Seeds)), table.Number(v.HalfMedian, 1))...)
		}
	}
	return g
}

func iterationCells(setting, variant, measure string, means []float64, iterations int) []string {
	cells := []string{setting, variant, measure}
	for k := range iterations {
		if k >= len(means) {
			cells = append(cells, table.None)
			continue
		}
		cells = append(cells, table.Number(&means[k], 1))
	}
	return cells
}

// halfText returns how many runs visited half of the states, with a text behind it.
func halfText(half *int, behind string) string {
	if half == nil {
		return table.None
	}
	return strconv.Itoa(*half) + behind
}

func printTable1(w table.Text, t table1.Table) {
	printTable1Text(w, t)
	w.Blank()
	w.Prose("Each number is the mean (sd over runs); podtrack's of %d runs, the paper's of %d.", t.Runs,
		table1.PaperRuns)
	w.Prose("%s.", t.Formula)
	w.Blank()
	printSpreads(w, t)
	for _, remark := range t.Remarks() {
		w.Prose("%s", remark)
	}
}

// printSpreads prints the paper's standard deviations in multiples of ours.
func printSpreads(w table.Text, t table1.Table) {
	g := table.New(table.Left("observability"), table.Left("metric"), table.Right("paper's sd / ours"),
		table.Right("rows exchanged"))
	for _, s := range t.Spreads() {
		title, _ := report.MeasureTitle(s.Metric)
		g.Add(s.Observability, title, s.Printed.String(), s.Exchanged.String())
	}
	if len(g.Rows) > 0 {
		w.Table(g)
		w.Blank()
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

// newTable1Table returns a table with one block per metric: the paper's row, then for each reading
// its row and z-score. In CSV a metric has the name of its measure, elsewhere its title.
func newTable1Table(t table1.Table) *table.Table {
	g := table.New(table.Left("observability"), table.Left("metric"), table.Left("source"))
	g.Columns[1].Shown = func(name string) string {
		title, _ := report.MeasureTitle(name)
		return title
	}
	for column := range table1.Columns {
		g.Columns = append(g.Columns, table.Right(fmt.Sprintf("iteration %d", column)))
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
		zs = append(zs, formatZ(c))
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

// newNarrowTable1 returns the table of one observability, in which deviations have rows of their own.
func newNarrowTable1(t table1.Table, observability string) *table.Table {
	g := table.New(table.Left("metric"), table.Left("source"))
	for column := range table1.Columns {
		g.Columns = append(g.Columns, table.Right(fmt.Sprintf("k = %d", column)))
	}
	settings := t.SettingsFor(observability)
	for i, metric := range table1.Metrics {
		title, _ := report.MeasureTitle(metric.Name)
		paper := settings[0].Metrics[i]
		addRow(g, title, "paper", paper, func(c table1.Cell) string { return table.Number(c.PaperMean, 1) })
		addRow(g, "", "  sd", paper, func(c table1.Cell) string { return table.Number(c.PaperSD, 1) })
		for _, s := range settings {
			addRow(g, "", s.Reading, s.Metrics[i], func(c table1.Cell) string { return table.Number(c.Mean, 1) })
			addRow(g, "", "  sd", s.Metrics[i], func(c table1.Cell) string { return table.Number(c.SD, 1) })
			addRow(g, "", "  z", s.Metrics[i], formatZ)
		}
	}
	return g
}

func addRow(g *table.Table, metric, source string, row table1.Row, text func(table1.Cell) string) {
	cells := []string{metric, source}
	for _, c := range row.Cells {
		cells = append(cells, text(c))
	}
	g.Add(cells...)
}

func formatZ(c table1.Cell) string {
	if c.Z == nil {
		return table.None
	}
	return fmt.Sprintf("%+.1f", *c.Z)
}
