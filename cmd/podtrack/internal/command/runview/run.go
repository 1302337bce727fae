// Package runview prints runs for people: a list of runs, one run by iteration, and its warnings.
package runview

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/warnings"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// PrintHead prints a run's spec, status, head and labels, and how many of its records are pruned.
func PrintHead(w table.Text, d report.Detail) {
	r, name := d.Run, ""
	if r.Name != "" {
		name = "  (" + r.Name + ")"
	}
	w.Field("run", "%s%s", r.ID, name)
	w.Field("spec", "%s", SpecText(r.Spec))
	w.Field("status", "%s, %d of %d iterations", r.Status, r.Iterations, r.Target)
	if r.Failure != "" {
		w.Field("failure", "%s", textfmt.EscapeLine(r.Failure))
	}
	if r.Head != nil {
		w.Field("head", "%s", r.Head)
	}
	if r.ProofLevel != schema.Recomputed && r.Proves != "" {
		w.Field("proves", "%s", r.Proves)
	}
	for _, a := range r.Ancestors {
		w.Field("from", "run %s, up to iteration %d", a.Run, a.Until-1)
	}
	if len(r.Tags) > 0 {
		w.Field("tags", "%s", strings.Join(r.Tags, " "))
	}
	if r.Note != "" {
		w.Field("note", "%s", textfmt.EscapeLine(r.Note))
	}
	if r.Keep != nil {
		kinds := strings.ReplaceAll(report.FormatKeep(r.Keep), "+", ", ")
		if kinds == "none" {
			kinds = "digests and measures"
		}
		w.Field("keeps", "%s", kinds)
	}
	if pruned, all := d.Pruned(); pruned > 0 {
		w.Field("pruned", "%d of %d records; podtrack repair --pruned %s restores them", pruned, all,
			textfmt.ShellQuote(r.Label()))
	}
	w.Blank()
}

// SpecText returns the fields of a spec on one line, with the reading that they make.
func SpecText(spec schema.Spec) string {
	fields := textfmt.Map(spec.Fields(),
		func(f schema.Field) string { return textfmt.EscapeLine(report.FormatTerm(f.Name, f.Value)) })
	return fmt.Sprintf("%s (reading %s)", strings.Join(fields, " "), spec.Reading())
}

// NewIterationTable returns a table with one row per iteration. It includes the paper's means
// beside the reading that is consistent with them. The full table has all measures.
func NewIterationTable(d report.Detail, full bool, more ...table.Column) *table.Table {
	columns := append([]table.Column{table.Right("k"), table.Left("link").Digest(shortDigest).Optional(4)},
		measureColumns(false)...)
	columns = append(columns, table.Value(table.Right("rejected").Optional(5).IfAny(),
		func(it *report.Iteration) any { return len(it.Rejected) }))
	if full {
		columns = append(columns, measureColumns(true)...)
	}
	if paper := table1.PaperMeans(d.Spec); paper != nil && !IsPaperAsWritten(d.Spec) {
		for i, title := range []string{"paper: purposes", "option length", "distance"} {
			columns = append(columns, table.Value(table.Right(title).Digits(1),
				func(it *report.Iteration) any { return paper(it.K)[i] }))
		}
	}
	return table.Of(d.History, append(columns, more...)...)
}

// measureColumns returns the columns of recorded measures: those that every table has, or the details.
func measureColumns(details bool) (columns []table.Column) {
	for _, m := range schema.MeasureInfos() {
		if m.IsDetail == details {
			columns = append(columns, table.Value(table.Right(m.Title).Optional(m.Rank).Digits(m.Digits),
				func(it *report.Iteration) any { x, _ := it.Measures.Get(m.Name); return x }))
		}
	}
	return columns
}

// PrintFit prints a line on how the run's reading fits the paper's means, if the table has them.
func PrintFit(w table.Text, d report.Detail) {
	switch {
	case table1.PaperMeans(d.Spec) == nil || len(d.History) == 0:
	case IsPaperAsWritten(d.Spec):
		w.Blank()
		w.Prose("This run follows the paper's text. The means of its Table 1 are those of another reading, as-published: " +
			"podtrack help table1.")
	default:
		w.Blank()
		w.Prose("The paper's numbers are means of %d runs; podtrack reproduce table1 shows the fit.", table1.PaperRuns)
	}
}

// IsPaperAsWritten reports whether a spec is one of the paper's experiment in the reading of its text, with which its
// Table 1 is not consistent.
func IsPaperAsWritten(spec schema.Spec) bool {
	return spec.Reading() == "as-written" && table1.PaperMeans(spec) != nil
}

var purposeColumns = []table.Column{
	table.Right("j"),
	table.Right("sigma").As("σ").Digits(3),
	table.Format(table.Left("vector").As("eigenpurpose"), vectorText),
}

// PrintPurposes prints the eigenpurposes of a run that has no options.
func PrintPurposes(w table.Text, d report.Detail) {
	for _, it := range d.History {
		if len(it.Eigenpurposes) == 0 {
			continue
		}
		w.TableBelow(table.Of(it.Eigenpurposes, purposeColumns...))
	}
}

// shownEntries is the number of entries of a vector that a table shows.
const shownEntries = 16

// vectorText returns the first entries of a vector in feature order, with a fixed width, so that
// vectors align in a column.
func vectorText(vector []float64) string {
	var b strings.Builder
	for i, x := range vector {
		if i == shownEntries {
			fmt.Fprintf(&b, "  … %d in all", len(vector))
			break
		}
		fmt.Fprintf(&b, "%8s", textfmt.FormatNumber(x, 4))
	}
	return b.String()
}

// LevelCounts lists how many runs or stages have each level.
func LevelCounts(count func(schema.Level) int) string {
	return strings.Join(textfmt.Map(schema.Levels(),
		func(level schema.Level) string { return fmt.Sprintf("%d %s", count(level), level) }), ", ")
}

// PrintWarnings prints the warnings about a run, each with its remedies.
func PrintWarnings(w table.Text, found []warnings.Warning) {
	for _, f := range found {
		where := "" // if only one iteration could have it
		if f.Of > 1 {
			where = fmt.Sprintf(" (iteration %d; in %d of %d)", f.K, f.Iterations, f.Of)
		}
		PrintWarning(w, f, where)
	}
}

// PrintWarning prints a warning, where it was found, and its remedies.
func PrintWarning(w table.Text, f warnings.Warning, where string) {
	w.Blank()
	w.Fact("warning", "%s%s", textfmt.EscapeLine(f.Text), where)
	label := "try"
	for _, r := range f.Remedies {
		w.Fact(label, "%s", textfmt.EscapeLine(r.Text))
		label = ""
	}
}
