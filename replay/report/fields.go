package report

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// SpecFields returns the names of all fields of the runs' specs, in the order in which a spec
// shows them.
func SpecFields(runs []Run) []string { return fieldNames(distinctSpecs(runs)) }

func fieldNames(specs []*schema.Spec) (names []string) {
	for _, spec := range specs {
		names = merge(names, spec.FieldNames())
	}
	return names
}

// distinctSpecs returns the specs of the runs, but for those that differ from the one before in the seed alone, as most
// specs in a list do.
func distinctSpecs(runs []Run) (distinct []*schema.Spec) {
	for i := range runs {
		spec := &runs[i].Spec
		if i > 0 {
			before := *distinct[len(distinct)-1]
			if before.Seed = spec.Seed; reflect.DeepEqual(&before, spec) {
				continue
			}
		}
		distinct = append(distinct, spec)
	}
	return distinct
}

// DigestHeads returns one digest for the heads of some runs, and how many runs have one: the SHA-256 of the heads in
// ascending order as hexadecimal text, a line each.
func DigestHeads(runs []Run) (digest schema.Digest, n int) {
	var heads []string
	for _, r := range runs {
		if r.Head != nil {
			heads = append(heads, r.Head.String()+"\n")
		}
	}
	slices.Sort(heads)
	return sha256.Sum256([]byte(strings.Join(heads, ""))), len(heads)
}

// CompareFields returns the fields of the runs' specs that all of them share, and those in which they
// differ, both in the order of [SpecFields].
func CompareFields(runs []Run) (shared, differing []string) {
	seeds := slices.ContainsFunc(runs, func(r Run) bool { return r.Seed != runs[0].Seed })
	specs := distinctSpecs(runs)
	for _, name := range fieldNames(specs) {
		first, has := specs[0].Get(name)
		differs := func(spec *schema.Spec) bool {
			value, known := spec.Get(name)
			return value != first || known != has
		}
		if name == "seed" && seeds || slices.ContainsFunc(specs, differs) {
			differing = append(differing, name)
		} else {
			shared = append(shared, name)
		}
	}
	return shared, differing
}

// merge adds the fields that names lacks, each behind the field that precedes it in its own spec.
func merge(names, fields []string) []string {
	at := 0
	for _, name := range fields {
		if known := slices.Index(names, name); known >= 0 {
			at = known + 1
			continue
		}
		names = slices.Insert(names, at, name)
		at++
	}
	return names
}

// SharedTerms returns the fields that all runs share, as terms such as kappa=1. It leaves out a field with the paper's
// value unless always names it. A basis and a dataset whose combination has a name are one term, the reading.
func SharedTerms(runs []Run, always ...string) (terms []string) {
	names, _ := CompareFields(runs)
	names = slices.DeleteFunc(names, func(name string) bool {
		value, has := runs[0].Spec.Get(name)
		usual, known := pod.PaperSpec().Get(name)
		return !slices.Contains(always, name) && (value == usual && has == known || name == "seed" || name == "data")
	})
	for _, name := range NameReading(names, runs) {
		value, _ := runs[0].Field(name)
		terms = append(terms, FormatTerm(name, value))
	}
	return terms
}

// NameReading replaces basis and dataset by the reading, if all runs have one with a name.
func NameReading(fields []string, runs []Run) []string {
	at := slices.Index(fields, "basis")
	unnamed := func(r Run) bool { return !slices.Contains(schema.Readings(), r.Reading) }
	if at < 0 || slices.ContainsFunc(runs, unnamed) {
		return fields
	}
	fields[at] = "reading"
	return slices.DeleteFunc(fields, func(name string) bool { return name == "dataset" })
}

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
		without := len(runs)
		for _, n := range counts[name] {
			without -= n
		}
		if without > 0 {
			counts[name][""] += without
		}
		tallies = append(tallies, newTally(name, counts[name]))
	}
	return tallies
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
	return textfmt.Map(t.Values, func(v Value) string { return v.Value })
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
