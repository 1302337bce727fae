package group

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// maxListedValues is how many values of a field a caption lists.
const maxListedValues = 8

// settings are the fields that every caption lists; of the others it lists those whose values are not the paper's.
var settings = []string{"env", "seed", "steps", "kappa", "gamma", "basis", "dataset"}

// Provenance returns a text that names the runs and their heads, which are the same in every store, and the settings
// that all of them have.
func Provenance(runs []report.Run) string {
	terms := report.SharedTerms(runs, append(slices.Clone(settings), runs[0].Spec.Env.Parameters()...)...)
	return whichRuns(runs) + ": " + strings.Join(terms, " ")
}

// whichRuns names the runs: one by its label and head, several by their number, a digest and what they differ in.
func whichRuns(runs []report.Run) string {
	if len(runs) == 1 {
		return "Run " + runText(runs[0])
	}
	who := fmt.Sprintf("%d runs", len(runs))
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
		who += " that differ in " + textfmt.JoinWords(differing)
	}
	return who
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
	if r.Head == nil {
		return r.Label()
	}
	return fmt.Sprintf("%s (head %.*s, %s)", r.Label(), headDigits, r.Head.String(),
		textfmt.CountOf(r.Iterations, "iteration"))
}

// valuesIn returns the values that a field has among runs in parentheses, or how many there are if they are too many to
// list. Seeds in a row are a range.
func valuesIn(runs []report.Run, field string) string {
	var values []string
	for i := range runs {
		if value, has := runs[i].Field(field); has && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	if field == "seed" {
		values = foldRanges(values)
	}
	return listed(values)
}

// foldRanges returns whole numbers in ascending order, those in a row as one range, and other values as they are.
func foldRanges(values []string) []string {
	var numbers []uint64
	for _, value := range values {
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return values
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return textfmt.Ranges(numbers, "–", 2)
}
