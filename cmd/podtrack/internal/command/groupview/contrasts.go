package groupview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// printContrasts prints what differs from the baseline, what was compared, and the numbers.
func printContrasts(w table.Text, c group.Contrasts, shown iterations) {
	printVerdicts(w, c, shown)
	for _, line := range groupLines(c.Groups) {
		w.Wrapped("%s", line)
	}
	w.Blank()
	printWhatDiffers(w, contrastFields(c), c.Notes)
	w.Table(contrastGrid(c, shown))
	difference := "of the means"
	if c.Pairings[1] != nil {
		difference = "the mean over the pairs"
	}
	others := len(c.Groups) - 1
	w.Blank()
	baseline := group.NameOf(c.Groups, 0)
	w.Prose("difference: from %s, %s; P(more): the run of the group has more than the run of %s, over all "+
		"pairs of runs, a tie counting one half.", baseline, difference, baseline)
	each, adjusted := "", ""
	if others > 1 {
		each = fmt.Sprintf(" each, so that all %d hold together at %g %% (Bonferroni)", others, 100*c.Level)
		adjusted = fmt.Sprintf(", adjusted for %d groups (%s)", others, c.Adjustment)
	}
	w.Prose("Intervals: %.4g %%%s; of the difference %s, of P %s.", 100*c.EachLevel, each, c.Intervals.Difference,
		c.Intervals.Improvement)
	w.Prose("p: of the t-test of the difference%s. Higher, lower: p is at most "+
		"%.2g, and the interval excludes 0; else it is not settled.", adjusted, stats.Significance)
}

// groupLines returns a line for each group, of which the first says that it is the baseline.
func groupLines(groups []group.Group) (lines []string) {
	for i, g := range groups {
		lines = append(lines, fmt.Sprintf("%s: %s, %s", group.NameOf(groups, i), textfmt.CountOf(len(g.Runs), "run"),
			g.Filter))
	}
	lines[0] += " (baseline)"
	return lines
}

// printVerdicts prints which groups differ from the baseline in each measure, in the iteration that is
// shown or the last.
func printVerdicts(w table.Text, c group.Contrasts, shown iterations) {
	k := shown.k
	if shown.all {
		k = c.Last
	}
	w.Wrapped("Compared with %s (%s) in iteration %d:", group.NameOf(c.Groups, 0), c.Groups[0].Filter, k)
	for _, m := range c.Measures {
		title, _ := report.MeasureTitle(m.Measure)
		fmt.Fprintf(w, "  %s: %s\n", title, verdict(c.Groups, m.Iterations[k]))
	}
	w.Blank()
}

// verdictWords are the words of each verdict on groups beside the baseline.
var verdictWords = map[stats.Verdict]string{stats.More: "higher in ", stats.Less: "lower in ",
	stats.Unsettled: "not settled in ", stats.Untested: "not tested in "}

// verdict returns in words which groups are above and below the baseline.
func verdict(groups []group.Group, row group.ContrastRow) string {
	var by judgements
	for i, o := range row.Groups[1:] {
		name, words := group.NameOf(groups, i+1), verdictWords[o.Against.Verdict]
		switch {
		case o.Against.Verdict.IsSettled():
			name += " (p " + table.PValue(o.Against.Adjusted, 3) + ")"
		case o.Against.Ceiling != "":
			words = o.Against.Ceiling + ": "
		}
		by.add(words, name)
	}
	return by.text("higher in ", "lower in ", "not settled in ")
}

// judgements are names by the words that judge them.
type judgements struct {
	words []string // as they came
	names map[string][]string
}

func (j *judgements) add(words, name string) {
	if j.names == nil {
		j.names = map[string][]string{}
	}
	if j.names[words] == nil {
		j.words = append(j.words, words)
	}
	j.names[words] = append(j.names[words], name)
}

// text lists the judgements, those in the given words before others.
func (j *judgements) text(order ...string) string {
	var parts []string
	for _, words := range slices.Concat(order, j.words) {
		if names := j.names[words]; len(names) > 0 {
			parts = append(parts, words+strings.Join(names, ", "))
			delete(j.names, words)
		}
	}
	return strings.Join(parts, "; ")
}

// contrastFields returns the table of the fields that are not the same in all runs, by group.
func contrastFields(c group.Contrasts) *table.Table {
	names := make([]string, len(c.Groups))
	for i := range names {
		names[i] = group.NameOf(c.Groups, i)
	}
	return fieldsGrid("group", names, c.Fields)
}

// contrastNotes returns notes that a reader needs to interpret the numbers.
func contrastNotes(c group.Contrasts) (notes []string) {
	baseline := group.NameOf(c.Groups, 0)
	if len(c.Environments) > 0 {
		notes = append(notes, fmt.Sprintf("The environments are not all the same: they differ in %s.",
			strings.Join(c.Environments, ", ")))
	}
	if len(c.Fields) == 0 {
		notes = append(notes, "All runs have the same spec.")
	}
	if len(c.Shared) > 0 {
		notes = append(notes, sharedNote(c.Shared, c.Groups))
	}
	for i, p := range c.Pairings {
		if p != nil {
			notes = append(notes, pairingNotes(baseline, group.NameOf(c.Groups, i), *p)...)
		}
	}
	if group.TestsNothing(c.Groups) {
		notes = append(notes, fmt.Sprintf("%s has a single run, so that no difference from it is tested. Make a group of "+
			"several runs the baseline.", baseline))
	}
	for i, g := range c.Groups {
		name := group.NameOf(c.Groups, i) + ": "
		notes = append(append(notes, asideNotes(name, g.SetAside)...), lackNotes(name, g.Lacks)...)
	}
	measures := textfmt.Map(c.Measures, func(m group.MeasureContrasts) string { return m.Measure })
	return append(notes, censoredNotes(measures)...)
}

// contrastRow is a measure of a group in iteration K, and how it differs from the baseline.
type contrastRow struct {
	measureRow
	K      int    `json:"k"`
	Group  string `json:"group"` // its letter
	Filter string `json:"filter"`
	stats.Summary
	*group.Contrast          // nil for the baseline
	Level           *float64 `json:"difference_level"`
	Label           string   `json:"label"`
	Baseline        string   `json:"baseline"`
}

func contrastRows(c group.Contrasts, shown iterations) (rows []contrastRow) {
	for _, m := range c.Measures {
		for _, row := range m.Iterations {
			for i, o := range row.Groups {
				r := contrastRow{measureRow{m.Measure}, row.K, group.Letter(i), c.Groups[i].Filter, o.Summary, o.Against,
					nil, group.NameOf(c.Groups, i), c.Baseline}
				if o.Against != nil {
					r.Level = &c.EachLevel
				}
				if shown.shows(row.K) {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

// contrastGrid returns a table with a row for each measure, iteration and group.
func contrastGrid(c group.Contrasts, shown iterations) *table.Table {
	columns := []table.Column{measureColumn}
	if shown.all {
		columns = append(columns, table.Right("k"))
	}
	columns = append(columns, table.Left("label").As("group"), table.Right("n").Optional(1),
		table.FormatDigits(table.Right("Summary").As("mean ± sd"), plusMinus))
	if c.Pairings[1] != nil {
		columns = append(columns, table.Right("pairs").Optional(1))
	}
	difference, p := "difference from "+c.Baseline, "p (Holm)"
	if len(c.Groups) == 2 {
		p = "p"
	}
	return table.Of(contrastRows(c, shown), append(columns,
		table.Right("difference.value").As(difference),
		intervalColumn("difference", c.EachLevel),
		improvementColumn.Optional(3),
		intervalColumn("improvement", c.EachLevel).Digits(2).Optional(2),
		table.Right("p_holm").As(p).PValue(3))...)
}

func intervalColumn(field string, level float64) table.Column {
	return table.FormatDigits(table.Left(field).As(intervalTitle(level)),
		func(e stats.Estimate, digits int) string { return interval(e.Low, e.High, digits) })
}

// improvementColumn has probabilities of improvement. For single runs they can only be 0, ½ or 1, and are left out.
var improvementColumn = table.Format(table.Right("improvement").As("P(more)"), func(e stats.Estimate) string {
	if e.Low == nil {
		return table.None
	}
	return textfmt.FormatNumber(e.Value, 2)
})

// contrastCSV returns a table with a row for each measure, iteration and group, with all digits.
func contrastCSV(c group.Contrasts, shown iterations) *table.Table {
	return table.Of(contrastRows(c, shown), table.Exact(slices.Concat([]string{"measure", "k", "group", "filter"},
		summaryColumns, intervalColumns, []string{"pairs"}, effectColumns, []string{"p_holm", "verdict",
			"difference_level"}, censoredColumns, []string{"label", "baseline"})...)...)
}

func plusMinus(s stats.Summary, digits int) string {
	if s.Mean == nil {
		return table.None
	}
	return table.Number(s.Mean, digits) + " ± " + table.Number(s.SD, digits) + censoredText(s)
}
