package report

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

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

// FieldValues returns the distinct values of a field of the runs' specs, in rising order, with ""
// for a spec without the field.
func FieldValues(runs []Run, field string) []string {
	counts := map[string]int{}
	for _, r := range runs {
		value, _ := r.Spec.Get(field)
		counts[value]++
	}
	return newTally(field, counts).texts()
}

// SpecFields returns the names of all fields of the runs' specs, in the order in which a spec
// shows them.
func SpecFields(runs []Run) []string {
	var names []string
	var last []schema.Field
	for _, r := range runs {
		names, last = merged(names, last, r.Spec.Fields())
	}
	return names
}

// merge inserts each new field after the one that it follows in its spec.
func merge(names []string, fields []schema.Field) []string {
	at := 0
	for _, f := range fields {
		if known := slices.Index(names, f.Name); known >= 0 {
			at = known + 1
			continue
		}
		names = slices.Insert(names, at, f.Name)
		at++
	}
	return names
}

// merged merges the names of fields, which mostly are those of the previous spec.
func merged(names []string, last, fields []schema.Field) ([]string, []schema.Field) {
	if !slices.EqualFunc(last, fields, func(a, b schema.Field) bool { return a.Name == b.Name }) {
		names = merge(names, fields)
	}
	return names, fields
}
