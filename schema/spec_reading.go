package schema

import "fmt"

// readings are the names of combinations of basis and dataset. A reading is derived, never
// stored.
var readings = []struct {
	name    string
	basis   Basis
	dataset Dataset
}{
	{"as-written", RightSingular, PerIteration},
	{"as-published", RowsOfV, Cumulative},
}

// Bases returns the values of a spec's basis.
func Bases() []string { return []string{string(RightSingular), string(RowsOfV), string(Random)} }

// Reading returns the name of the spec's combination of basis and dataset, or the two
// joined by + if it has no name.
func (s Spec) Reading() string {
	for _, r := range readings {
		if r.basis == s.Basis && r.dataset == s.Dataset {
			return r.name
		}
	}
	return string(s.Basis) + "+" + string(s.Dataset)
}

// Readings returns the names that [Spec.SetReading] accepts.
func Readings() []string {
	var names []string
	for _, r := range readings {
		names = append(names, r.name)
	}
	return names
}

// SetReading sets basis and dataset to those of the named reading, or returns [ErrSpec].
func (s *Spec) SetReading(name string) error {
	for _, r := range readings {
		if r.name == name {
			s.Basis, s.Dataset = r.basis, r.dataset
			return nil
		}
	}
	return Advise(fmt.Errorf("%w: reading %q", ErrSpec, name), AdviceChoose, Choice{name, "readings", Readings()})
}
