package figure

import (
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
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

// latexLetters maps what LaTeX does not take as it is.
var latexLetters = strings.NewReplacer(
	"|cos_M|", `$|\cos_M|$`,
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `$<$`, `>`, `$>$`, `|`, `$|$`, `"`, `''`,
	"σ", `$\sigma$`, "κ", `$\kappa$`, "γ", `$\gamma$`, "φ", `$\phi$`, "−", `$-$`, "±", `$\pm$`,
	"·", `$\cdot$`, "÷", `$\div$`, "≤", `$\leq$`, "≥", `$\geq$`, "×", `$\times$`, "…", `\ldots{}`, "–", "--",
	"₂", `$_2$`, "ᵀ", `$^\top$`, " %", `\,\%`,
)

// latex returns a caption as the command of LaTeX.
func latex(caption string) string {
	return `\caption{` + latexLetters.Replace(chart.Printable(caption)) + "}"
}

// within returns a number with the ends of its interval, if it has one.
func within(value float64, low, high *float64) string {
	if low == nil || high == nil {
		return palette.Short(value)
	}
	return palette.Short(value) + " [" + palette.Short(*low) + ", " + palette.Short(*high) + "]"
}

// deviating returns a mean with its standard deviation, if it has one.
func deviating(mean float64, sd *float64) string {
	if sd == nil {
		return palette.Short(mean)
	}
	return palette.Short(mean) + " ± " + palette.Short(*sd)
}
