package report

import (
	"slices"

	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
)

// Divergence is the first iteration and stage in which two runs have different records.
type Divergence struct {
	K     int    `json:"k"`
	Stage string `json:"stage"`
}

// SpecDifference is a field in which two specs differ.
type SpecDifference struct {
	Field string `json:"field"`
	A     string `json:"a"`
	B     string `json:"b"`
}

// FindDivergence compares the records of two runs by digest, over the iterations that both have.
// It returns nil if all are equal.
func FindDivergence(a, b []schema.Iteration) *Divergence {
	for k := range min(len(a), len(b)) {
		for _, stage := range stages.All {
			for _, kind := range stages.Kinds[stage] {
				if !slices.Equal(a[k].RecordsOf(kind), b[k].RecordsOf(kind)) {
					return &Divergence{K: k, Stage: stage}
				}
			}
		}
	}
	return nil
}

// AlignSpecs returns all fields of two specs, in the order of a's; a missing field is "".
func AlignSpecs(a, b schema.Spec) []SpecDifference {
	var fields []SpecDifference
	shown := map[string]bool{}
	for _, f := range a.Fields() {
		shown[f.Name] = true
		other, _ := b.Get(f.Name)
		fields = append(fields, SpecDifference{Field: f.Name, A: f.Value, B: other})
	}
	for _, f := range b.Fields() {
		if !shown[f.Name] {
			usual, _ := a.Get(f.Name)
			fields = append(fields, SpecDifference{Field: f.Name, A: usual, B: f.Value})
		}
	}
	return fields
}

// SpecDifferences returns the fields in which two specs differ.
func SpecDifferences(a, b schema.Spec) []SpecDifference {
	differences := []SpecDifference{}
	for _, f := range AlignSpecs(a, b) {
		if f.A != f.B {
			differences = append(differences, f)
		}
	}
	return differences
}
