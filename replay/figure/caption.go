package figure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
)

// Caption returns a figure's caption: what it shows and in which units, what its bars and bands are, and the runs
// behind it, if it was made with [WithRuns].
func Caption(f Figure) string {
	var runs []report.Run
	if described, ok := f.(figureOfRuns); ok {
		runs = described.runs
	}
	return strings.Join(slices.Concat([]string{f.caption()}, f.chart().notes, provenance(runs)), " ")
}

// WithRuns returns the figure with the runs that its caption names.
func WithRuns(f Figure, runs ...report.Run) Figure { return figureOfRuns{f, runs} }

// figureOfRuns is a figure with the runs behind it.
type figureOfRuns struct {
	Figure
	runs []report.Run
}

// Limits of what a caption lists.
const (
	maxListedRuns   = 12
	maxListedValues = 8
)

// settings are the fields that a caption has whatever their values; of others it has those that are not the paper's.
var settings = []string{"env", "seed", "steps", "kappa", "gamma", "basis", "dataset"}

// provenance returns sentences that name the runs, their settings and their heads, which are the same in every store.
func provenance(runs []report.Run) []string {
	if len(runs) == 0 {
		return nil
	}
	shared := report.SharedTerms(runs, append(slices.Clone(settings), runs[0].Spec.Env.Parameters()...)...)
	if len(runs) == 1 {
		return []string{fmt.Sprintf("Run %s: %s.", runText(runs[0]), strings.Join(shared, " "))}
	}
	text := fmt.Sprintf("%d runs with %s", len(runs), strings.Join(shared, " "))
	var differing []string
	_, fields := report.CompareFields(runs)
	for _, field := range report.NameReading(fields, runs) {
		differing = append(differing, field+" "+valuesIn(runs, field))
	}
	if len(differing) > 0 {
		text += ", which differ in " + joinWords(differing)
	}
	var listed []string
	for _, r := range runs[:min(len(runs), maxListedRuns)] {
		listed = append(listed, runText(r))
	}
	if more := len(runs) - len(listed); more > 0 {
		listed = append(listed, fmt.Sprintf("and %d more", more))
	}
	return []string{text + ": " + strings.Join(listed, ", ") + "."}
}

// headDigits is how much of a head a caption has.
const headDigits = 12

// runText returns a run's label with its head, up to which the records are those of the figure.
func runText(r report.Run) string {
	if r.Head == nil {
		return r.Label()
	}
	return fmt.Sprintf("%s (head %.*s, %s)", r.Label(), headDigits, r.Head.String(), countOf(r.Iterations, "iteration"))
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
	if len(values) > maxListedValues {
		return fmt.Sprintf("(%d values)", len(values))
	}
	return "(" + strings.Join(values, ", ") + ")"
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
