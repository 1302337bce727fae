package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// captionOf returns a figure's caption: what it shows and in which units, what its bars and bands are, and the runs
// behind it, if it was made with [WithRuns]. It has at most [maxCaption] characters: settings are left out first.
func captionOf(f Figure) string {
	what := strings.Join(slices.Concat([]string{f.caption()}, f.chart().Notes), " ")
	described, ok := f.(figureOfRuns)
	if !ok || len(described.runs) == 0 {
		return textfmt.Shorten(what, maxCaption)
	}
	who, terms := provenance(described.runs)
	what = textfmt.Shorten(what, maxCaption-utf8.RuneCountInString(who)-len(" : ….")) + " " + who + ": "
	return what + textfmt.Shorten(strings.Join(terms, " "), maxCaption-utf8.RuneCountInString(what)-len(".")) + "."
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

// Limits of a caption, in characters, and of what it lists.
const (
	maxCaption      = 450
	maxWho          = 200 // of what names the runs
	maxLabel        = 40
	maxListedValues = 8
)

// settings are the fields that every caption lists; of the others it lists those whose values are not the paper's.
var settings = []string{"env", "seed", "steps", "kappa", "gamma", "basis", "dataset"}

// provenance returns a text that names the runs and their heads, which are the same in every store, and the settings
// that all of them have.
func provenance(runs []report.Run) (who string, terms []string) {
	terms = report.SharedTerms(runs, append(slices.Clone(settings), runs[0].Spec.Env.Parameters()...)...)
	if len(runs) == 1 {
		return "Run " + runText(runs[0]), terms
	}
	who = fmt.Sprintf("%d runs", len(runs))
	if digest, n := report.DigestHeads(runs); n > 0 {
		who += fmt.Sprintf(" (their heads %.*s)", headDigits, digest)
	}
	var differing []string
	places := placesIn(runs)
	_, fields := report.CompareFields(runs)
	for _, field := range report.NameReading(fields, runs) {
		if len(places) == 0 || field == "seed" {
			differing = append(differing, field+" "+valuesIn(runs, field))
		}
	}
	differing = append(differing, places...)
	if len(differing) > 0 {
		who += " that differ in " + joinWords(differing)
	}
	return textfmt.Shorten(who, maxWho), terms
}

// placesIn returns the parts of their places in which runs of one study differ, with their labels; none of other runs.
func placesIn(runs []report.Run) (differing []string) {
	if slices.ContainsFunc(runs, func(r report.Run) bool {
		return len(r.Places) != 1 || r.Places[0].Study != runs[0].Places[0].Study
	}) {
		return nil
	}
	for _, part := range []string{"setting", "variant"} {
		ordered := slices.Clone(runs)
		slices.SortStableFunc(ordered, func(a, b report.Run) int {
			return cmp.Compare(report.PlaceIndex(a, part), report.PlaceIndex(b, part))
		})
		var labels []string
		for _, r := range ordered {
			if label := report.PlaceLabel(r, part); !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
		if len(labels) > 1 {
			differing = append(differing, part+" "+listed(labels))
		}
	}
	return differing
}

// listed returns values in parentheses, or how many there are if they are too many to list.
func listed(values []string) string {
	if len(values) > maxListedValues {
		return fmt.Sprintf("(%d values)", len(values))
	}
	return "(" + strings.Join(values, ", ") + ")"
}

// headDigits is how much of a head a caption has.
const headDigits = 12

// runText returns a run's label with its head, up to which the records are those of the figure.
func runText(r report.Run) string {
	label := textfmt.Shorten(r.Label(), maxLabel)
	if r.Head == nil {
		return label
	}
	return fmt.Sprintf("%s (head %.*s, %s)", label, headDigits, r.Head.String(), countOf(r.Iterations, "iteration"))
}

// valuesIn returns the values that a field has among runs in parentheses, or how many there are if they are too many to
// list. Seeds in a row are a range.
func valuesIn(runs []report.Run, field string) string {
	var values []string
	for _, r := range runs {
		if value, has := r.Field(field); has && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	if field == "seed" {
		values = foldRanges(values)
	}
	return listed(values)
}

// foldRanges returns whole numbers in ascending order, those in a row as one range, and other values as they are.
func foldRanges(values []string) (folded []string) {
	var numbers []uint64
	for _, value := range values {
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return values
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		text := fmt.Sprint(numbers[i])
		if end > i {
			text += "–" + fmt.Sprint(numbers[end])
		}
		folded, i = append(folded, text), end+1
	}
	return folded
}

// countOf returns a number with its noun.
func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// joinWords returns words as a part of a sentence: "a, b and c".
func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
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
