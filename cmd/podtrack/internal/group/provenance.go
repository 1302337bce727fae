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

const maxListedValues = 8 // of a field, in a caption

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

const headDigits = 12 // of a head, in a caption

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

// Letter returns the name of the i-th group: a to z, then a1 to z1 and so on.
func Letter(i int) string {
	name := string(rune('a' + i%26))
	if i >= 26 {
		name += strconv.Itoa(i / 26)
	}
	return name
}

// NameOf returns what people call the i-th of some groups: its label, or its value of the field by which the groups
// were split. Groups split by several fields, whose values would fill a table, and groups of filters have letters.
func NameOf(groups []Group, i int) string {
	if label := groups[i].Label; label != "" {
		return label
	}
	if names := groups[i].Names; len(names) == 1 {
		return names[0]
	}
	return Letter(i)
}

// LabelFields returns where the labels of groups are, by the values by which they were split, such as 1,as-written, or
// by their letters.
func LabelFields(groups []Group) map[string][]*string {
	fields := map[string][]*string{}
	for i := range groups {
		name := Letter(i)
		if groups[i].Values != nil {
			name = strings.Join(groups[i].Values, ",")
		}
		fields[name] = append(fields[name], &groups[i].Label)
	}
	return fields
}

// Terms lists the given fields, by which the group was split off, with its values.
func (g Group) Terms(by []string) string {
	var terms []string
	for i, field := range by {
		terms = append(terms, report.FormatTerm(field, g.Values[i]))
	}
	return strings.Join(terms, " ")
}

// nameValues returns what people call the values of some fields that runs share: kappa 1, the label of a run, and the
// labels of a setting and a variant.
func nameValues(fields, values []string, runs []report.Run) []string {
	names := make([]string, len(fields))
	for i, field := range fields {
		switch label := report.PlaceLabel(runs[0], field); {
		case label != "":
			names[i] = label
		case field == "run":
			names[i] = runs[0].Label()
		default:
			names[i] = field + " " + cmp.Or(values[i], "none")
		}
	}
	return names
}

// A Look is what tells a series of a figure from others: its number chooses its colour and its marker.
type Look struct {
	Number int
	Line   int    // among the lines of series with the same number
	Name   string // the label in a study, "" for other runs
}

// LooksOf returns the looks of sets of runs. A variant of a study has the same look in all figures, by its place in the
// study, whichever others are beside it; so has a setting. Other sets are numbered.
func LooksOf(sets [][]report.Run) []Look {
	for _, by := range [][]string{{"variant"}, {"setting"}, {"variant", "setting"}} {
		if looks := placedLooks(sets, by); looks != nil {
			return looks
		}
	}
	looks := make([]Look, len(sets))
	for i := range looks {
		looks[i].Number = i
	}
	return looks
}

// placedLooks returns the looks of sets, each of which has its own values of the given parts of places in one study;
// nil for other sets.
func placedLooks(sets [][]report.Run, by []string) (looks []Look) {
	study, places := "", map[string]bool{}
	for _, runs := range sets {
		var own Look
		for i, r := range runs {
			if len(r.Places) != 1 || study != "" && r.Places[0].Study != study {
				return nil
			}
			study = r.Places[0].Study
			its := Look{Number: report.PlaceIndex(r, by[0])}
			labels := textfmt.Map(by, func(part string) string { return report.PlaceLabel(r, part) })
			if its.Name = strings.Join(labels, ", "); len(by) > 1 {
				its.Line = report.PlaceIndex(r, by[1])
			}
			if i > 0 && its != own {
				return nil
			}
			own = its
		}
		if len(runs) == 0 || places[own.Name] {
			return nil
		}
		places[own.Name] = true
		looks = append(looks, own)
	}
	return looks
}
