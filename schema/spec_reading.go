package schema

import "fmt"

// readings are the named combinations of basis and dataset: the ways to read the paper that POD is from. A
// reading is derived, never stored.
var readings = []struct {
	name    string
	basis   Basis
	dataset Dataset
}{
	{"as-written", RightSingular, PerIteration},
	{"as-published", RowsOfV, Cumulative},
}

// CoveringEigenoptions is the reading of the covering eigenoptions of Machado, Barreto, Precup & Bowling
// ("Temporal Abstraction in Reinforcement Learning with the Successor Representation", Journal of Machine
// Learning Research 24, 2023): in each iteration one option, for the first direction of a successor
// representation that all iterations add to, called with a small probability.
const CoveringEigenoptions = "covering-eigenoptions"

// setCoveringEigenoptions sets the fields that the reading consists of. Its discounts and step sizes are
// those of any spec, 0.99 and 0.1.
func (s *Spec) setCoveringEigenoptions() {
	s.Basis, s.Dataset, s.Select = RightSingular, Cumulative, "top=1"
	s.Method, s.StateSet, s.Sides, s.OptionProbability = Successor, VisitedStates, OneSided, 0.05
}

// isCoveringEigenoptions reports whether the spec has the values that setCoveringEigenoptions sets.
func (s Spec) isCoveringEigenoptions() bool {
	var want Spec
	want.setCoveringEigenoptions()
	return s.Basis == want.Basis && s.Dataset == want.Dataset && s.Select == want.Select && s.Method == want.Method &&
		s.StateSet == want.StateSet && s.Sides == want.Sides && s.OptionProbability == want.OptionProbability
}

// bases returns the values of a spec's basis.
func bases() []string { return []string{string(RightSingular), string(RowsOfV), string(Random)} }

// Reading returns the name of the spec's combination of fields, or basis and dataset joined by + if it
// has no name.
func (s Spec) Reading() string {
	if s.isCoveringEigenoptions() {
		return CoveringEigenoptions
	}
	for _, r := range readings {
		if r.basis == s.Basis && r.dataset == s.Dataset {
			return r.name
		}
	}
	return string(s.Basis) + "+" + string(s.Dataset)
}

// Readings returns the names of combinations of basis and dataset.
func Readings() []string {
	var names []string
	for _, r := range readings {
		names = append(names, r.name)
	}
	return names
}

// AllReadings returns the names that [Spec.SetReading] accepts.
func AllReadings() []string { return append(Readings(), CoveringEigenoptions) }

// SetReading sets the fields that the named reading consists of, or returns [ErrSpec].
func (s *Spec) SetReading(name string) error {
	if name == CoveringEigenoptions {
		s.setCoveringEigenoptions()
		return nil
	}
	for _, r := range readings {
		if r.name == name {
			s.Basis, s.Dataset = r.basis, r.dataset
			return nil
		}
	}
	return Advise(fmt.Errorf("%w: reading %q", ErrSpec, name), AdviceChoose, Choice{name, "readings", AllReadings()})
}
