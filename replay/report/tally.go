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
	Values []Value // in rising order
}

// Value is a value of a field, "" for a run without the field.
type Value struct {
	Value string `json:"value"`
	Runs  int    `json:"runs"`
}

// TallyFields tallies all fields of the runs' specs, in the order of [SpecFields].
func TallyFields(runs []Run) []Tally {
	var names []string
	var last []schema.Field
	counts := map[string]map[string]int{}
	for _, r := range runs {
		names, last = merged(names, last, r.Spec.Fields())
		for i, f := range last {
			if slices.ContainsFunc(last[:i], func(had schema.Field) bool { return had.Name == f.Name }) {
				continue // as Spec.Get has it
			}
			if counts[f.Name] == nil {
				counts[f.Name] = map[string]int{}
			}
			counts[f.Name][f.Value]++
		}
	}
	var tallies []Tally
	for _, name := range names {
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
	// 1e-9 is 1e-09, and both are there
	rising := func(a, b string) int { return cmp.Or(compare(a, b), strings.Compare(a, b)) }
	for _, text := range slices.SortedFunc(maps.Keys(counts), rising) {
		t.Values = append(t.Values, Value{text, counts[text]})
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
