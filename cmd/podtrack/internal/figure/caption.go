package figure

import (
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// captionOf returns a figure's caption, whole: what it shows and in which units, what its bars and bands are, and the
// runs behind it, if it was made with [WithRuns].
func captionOf(f Figure) string {
	what := strings.Join(slices.Concat([]string{f.caption()}, f.chart().Notes), " ")
	described, ok := f.(figureOfRuns)
	if !ok || len(described.runs) == 0 {
		return what
	}
	return what + " " + group.Provenance(described.runs) + "."
}

// WithRuns returns the figure with the runs that its caption names.
func WithRuns(f Figure, runs ...report.Run) Figure { return figureOfRuns{f, runs} }

// figureOfRuns is a figure with the runs behind it.
type figureOfRuns struct {
	Figure
	runs []report.Run
}

// Table implements [Figure]: its columns that name runs have whole IDs.
func (f figureOfRuns) Table() DataTable {
	ids := make([]schema.Digest, len(f.runs))
	for i, r := range f.runs {
		ids[i] = r.ID
	}
	t, whole := f.Figure.Table(), report.WholeRefs(ids...)
	for i, column := range t.Columns {
		for _, row := range t.Rows {
			if i < len(row) && namesRun(column, row[i]) {
				row[i] = whole(row[i])
			}
		}
	}
	return t
}

// namesRun reports whether a cell in a column of a figure's table can begin with a run: in others it may be a number.
func namesRun(column, cell string) bool {
	return slices.Contains([]string{"track", "a", "b"}, column) || strings.Contains(cell, ":")
}

// latex returns a caption as the command of LaTeX.
func latex(caption string) string {
	escaped := textfmt.EscapeLaTeX(chart.Printable(caption))
	return `\caption{` + strings.ReplaceAll(escaped, ` \%`, `\,\%`) + "}"
}
