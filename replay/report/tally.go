package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// Tally counts how many runs have each value of a field.
type Tally struct {
	Field  string
	Values []Value // ascending
}

// Value is a value of a field, "" for a run without the field.
type Value struct {
	Value string `json:"value"`
	Term  string `json:"term"` // of a filter that selects the runs with this value
	Runs  int    `json:"runs"`
}

// TallyFields tallies all fields of the runs' specs, in the order of [SpecFields].
func TallyFields(runs []Run) []Tally {
	counts := map[string]map[string]int{}
	for _, r := range runs {
		fields := r.Spec.Fields()
		for i, f := range fields {
			if slices.ContainsFunc(fields[:i], func(had schema.Field) bool { return had.Name == f.Name }) {
				continue // Spec.Get returns the first of that name
			}
			if counts[f.Name] == nil {
				counts[f.Name] = map[string]int{}
			}
			counts[f.Name][f.Value]++
		}
	}
	var tallies []Tally
	for _, name := range SpecFields(runs) {
		tallies = append(tallies, newTally(name, addMissing(counts[name], len(runs))))
	}
	return tallies
}

// addMissing counts the runs without the field.
func addMissing(counts map[string]int, runs int) map[string]int {
	for _, n := range counts {
		runs -= n
	}
	if runs > 0 {
		counts[""] += runs
	}
	return counts
}

// TallyField tallies a fact of the runs, as returned by [Run.Field].
func TallyField(runs []Run, field string) Tally {
	counts := map[string]int{}
	for i := range runs {
		text, _ := runs[i].Field(field)
		counts[text]++
	}
	return newTally(field, counts)
}

func newTally(field string, counts map[string]int) Tally {
	t := Tally{Field: field}
	// 1e-9 and 1e-09 are equal numbers, but two values
	rising := func(a, b string) int { return cmp.Or(compare(a, b), strings.Compare(a, b)) }
	for _, text := range slices.SortedFunc(maps.Keys(counts), rising) {
		t.Values = append(t.Values, Value{text, FormatTerm(field, text), counts[text]})
	}
	return t
}

func (t Tally) texts() []string {
	var texts []string
	for _, v := range t.Values {
		texts = append(texts, v.Value)
	}
	return texts
}

// Spread holds the values of a field of the spec among runs.
type Spread struct {
	Field  string   `json:"field"`
	Values []string `json:"values"`
}

// Spreads returns the values of all fields of the runs' specs.
func Spreads(runs []Run) []Spread {
	var spreads []Spread
	for _, t := range TallyFields(runs) {
		spreads = append(spreads, Spread{Field: t.Field, Values: t.texts()})
	}
	return spreads
}

// FieldValues returns the distinct values of a field of the runs' specs, ascending, with "" for a spec without the
// field.
func FieldValues(runs []Run, field string) []string {
	counts := map[string]int{}
	for _, r := range runs {
		value, _ := r.Spec.Get(field)
		counts[value]++
	}
	return newTally(field, counts).texts()
}
