package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// printContrasts prints what differs from the baseline, what was compared, and the numbers.
func printContrasts(w io.Writer, c group.Contrasts, shown iterations) error {
	printVerdicts(w, c, shown)
	for i, g := range c.Groups {
		role := ""
		if i == 0 {
			role = " (baseline)"
		}
		fmt.Fprintf(w, "%s: %s, %s%s\n", group.Letter(i), cmdline.Plural(len(g.Runs), "run"), g.Filter, role)
	}
	fmt.Fprintln(w)
	if g := groupFieldsGrid(c); len(c.Fields) > 0 {
		if err := g.Print(w, table.Formats[0]); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	notes := ContrastNotes(c)
	cmdline.PrintNotes(w, notes)
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	if err := contrastGrid(c, shown).Print(w, table.Formats[0]); err != nil {
		return err
	}
	difference := "of the means"
	if c.Pairings[1] != nil {
		difference = "the mean over the pairs"
	}
	others := len(c.Groups) - 1
	_, err := fmt.Fprintf(w, "\ndifference: from a, %s; P(more): the run of the group has more than\n"+
		"the run of a, over all pairs of runs, a tie counting one half.\n"+
		"Intervals: %.4g %% each, so that all %d hold together at %g %% (Bonferroni);\n"+
		"of the difference %s, of P %s.\n"+
		"p: of the t-test of the difference, adjusted for %d groups (%s).\n",
		difference, 100*c.EachLevel, others, 100*c.Level, c.Intervals.Difference, c.Intervals.Improvement, others,
		c.Adjustment)
	return err
}

// printVerdicts prints which groups differ from the baseline in each measure, in the iteration that is
// shown or the last.
func printVerdicts(w io.Writer, c group.Contrasts, shown iterations) {
	k := shown.k
	if shown.all {
		k = c.Last
	}
	fmt.Fprintf(w, "Compared with a (%s) in iteration %d:\n", c.Groups[0].Filter, k)
	for _, m := range c.Measures {
		title, _ := schema.MeasureTitle(m.Measure)
		fmt.Fprintf(w, "  %s: %s\n", title, verdict(m.Iterations[k]))
	}
	fmt.Fprintln(w)
}

// verdict returns in words which groups are above and below the baseline.
func verdict(row group.ContrastRow) string {
	const above, below, same, untested = "higher in", "lower in", "no difference shown in", "not tested in"
	groups := map[string][]string{}
	for i, o := range row.Groups[1:] {
		kind := same
		switch a := o.Against; {
		case a.Adjusted == nil:
			kind = untested
		case *a.Adjusted > stats.Significance:
		case a.Difference.Value > 0:
			kind = above
		default:
			kind = below
		}
		name := group.Letter(i + 1)
		if kind == above || kind == below {
			name += " (p " + pValue(o.Against.Adjusted) + ")"
		}
		groups[kind] = append(groups[kind], name)
	}
	var parts []string
	for _, kind := range []string{above, below, same, untested} {
		if len(groups[kind]) > 0 {
			parts = append(parts, kind+" "+strings.Join(groups[kind], ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// pValue formats a p-value.
func pValue(p *float64) string {
	switch {
	case p == nil:
		return table.None
	case *p < 0.001:
		return "< 0.001"
	}
	return table.Number(p, 3)
}

// groupFieldsGrid returns a table with a row for each group: the fields that are not the same in all runs.
func groupFieldsGrid(c group.Contrasts) *table.Table {
	g := table.New(table.Left("group"))
	for i, f := range c.Fields {
		g.Columns = append(g.Columns, table.Column{Title: f.Field}.Optional(len(c.Fields)-i))
	}
	for i := range c.Groups {
		row := []string{group.Letter(i)}
		for _, f := range c.Fields {
			row = append(row, listValues(f.Values[i]))
		}
		g.Add(row...)
	}
	return g
}

// ContrastNotes returns notes that a reader needs to interpret the numbers.
func ContrastNotes(c group.Contrasts) []string {
	var notes []string
	if len(c.Environments) > 0 {
		notes = append(notes, fmt.Sprintf("The environments are not all the same: they differ in %s.",
			strings.Join(c.Environments, ", ")))
	}
	if len(c.Shared) > 0 {
		notes = append(notes, fmt.Sprintf("In several groups: %s. A filter of several terms goes in quotes.",
			listMembers(c.Shared)))
	}
	for i, p := range c.Pairings {
		if p == nil {
			continue
		}
		name := group.Letter(i)
		notes = append(notes, fmt.Sprintf("%s paired with a by %s: %s.", name, p.Field, cmdline.Plural(p.Pairs, "pair")))
		notes = append(notes, aloneNotes("a", p.UnpairedA)...)
		notes = append(notes, aloneNotes(name, p.UnpairedB)...)
	}
	for i, g := range c.Groups {
		notes = append(notes, lackNotes(group.Letter(i)+": ", g.Lacks)...)
	}
	return notes
}

// contrastGrid returns a table with a row for each measure, iteration and group.
func contrastGrid(c group.Contrasts, shown iterations) *table.Table {
	g := table.New(table.Left("measure"))
	if shown.all {
		g.Columns = append(g.Columns, table.Right("k"))
	}
	g.Columns = append(g.Columns, table.Left("group"), table.Right("n").Optional(1), table.Right("mean ± sd"))
	paired := c.Pairings[1] != nil
	if paired {
		g.Columns = append(g.Columns, table.Right("pairs").Optional(1))
	}
	g.Columns = append(g.Columns, table.Right("difference"), table.Left("interval"), table.Right("P(more)").Optional(3),
		table.Left("interval").Optional(2), table.Right("p (Holm)"))
	for _, m := range c.Measures {
		name, _ := schema.MeasureTitle(m.Measure)
		for _, row := range m.Iterations {
			if !shown.shows(row.K) {
				continue
			}
			for i, o := range row.Groups {
				cells := []string{name}
				if shown.all {
					cells = append(cells, fmt.Sprint(row.K))
				}
				cells = append(cells, group.Letter(i), fmt.Sprint(o.N), plusMinus(o.Summary))
				g.Add(append(cells, contrastCells(o.Against, paired)...)...)
				name = "" // printed once per block
			}
		}
	}
	return g
}

// contrastCells returns the cells of a group's difference from the baseline.
func contrastCells(a *group.Contrast, paired bool) (cells []string) {
	if a == nil {
		a = &group.Contrast{}
	}
	if paired {
		pairs := table.None
		if a.Pairs != nil {
			pairs = fmt.Sprint(*a.Pairs)
		}
		cells = append(cells, pairs)
	}
	for _, e := range []*stats.Estimate{a.Difference, a.Improvement} {
		if e == nil {
			cells = append(cells, table.None, table.None)
			continue
		}
		cells = append(cells, table.Number(&e.Value, 2), interval(e.Low, e.High))
	}
	return append(cells, pValue(a.Adjusted))
}

// contrastCSV returns a table with a row for each measure, iteration and group, with all digits.
func contrastCSV(c group.Contrasts, shown iterations) *table.Table {
	g := table.New(table.Left("measure"), table.Left("k"), table.Left("group"), table.Left("filter"))
	for _, name := range summaryColumns {
		g.Columns = append(g.Columns, table.Right(name))
	}
	for _, name := range []string{"interval_low", "interval_high", "pairs", "difference", "difference_interval_low",
		"difference_interval_high", "improvement", "improvement_interval_low", "improvement_interval_high", "p_value",
		"p_holm"} {
		g.Columns = append(g.Columns, table.Right(name))
	}
	for _, m := range c.Measures {
		for _, row := range m.Iterations {
			if !shown.shows(row.K) {
				continue
			}
			for i, o := range row.Groups {
				cells := []string{m.Measure, fmt.Sprint(row.K), group.Letter(i), c.Groups[i].Filter}
				cells = append(cells, summaryCells(o.Summary, report.FormatExact)...)
				cells = append(cells, report.FormatExact(o.Low), report.FormatExact(o.High))
				g.Add(append(cells, exactContrast(o.Against)...)...)
			}
		}
	}
	return g
}

func exactContrast(a *group.Contrast) []string {
	if a == nil {
		return make([]string, 9)
	}
	pairs := ""
	if a.Pairs != nil {
		pairs = fmt.Sprint(*a.Pairs)
	}
	cells := append([]string{pairs}, exactEstimate(a.Difference)...)
	cells = append(cells, exactEstimate(a.Improvement)...)
	return append(cells, report.FormatExact(a.PValue), report.FormatExact(a.Adjusted))
}
