package schema

import (
	"fmt"
	"strings"
)

// readings lists the combinations of basis and dataset that have a name, because the paper on POD can be read
// in these ways. A spec does not store its reading.
var readings = []struct {
	name    string
	basis   Basis
	dataset Dataset
}{
	{"as-written", RightSingular, PerIteration},
	{"as-published", RowsOfV, Cumulative},
}

// CoveringEigenoptions is the reading for covering eigenoptions, from Machado, Barreto, Precup & Bowling,
// "Temporal Abstraction in Reinforcement Learning with the Successor Representation" (Journal of Machine
// Learning Research 24, 2023). Each iteration learns one option, for the first direction of a successor
// representation that is learned over all iterations. Options are called with a small probability.
const CoveringEigenoptions = "covering-eigenoptions"

// setCoveringEigenoptions sets the fields of the reading. The discounts and step sizes of that paper are the
// defaults of a spec, 0.99 and 0.1.
func (s *Spec) setCoveringEigenoptions() {
	s.Basis, s.Dataset, s.Select = RightSingular, Cumulative, "top=1"
	s.Method, s.StateSet, s.PsiPart, s.PsiPasses = Successor, VisitedStates, SymmetricPart, 10
	s.Sides, s.OptionProbability, s.Restart = PublishedSides, 0.05, EachIteration
}

// isCoveringEigenoptions reports whether the spec has the values that setCoveringEigenoptions sets.
func (s Spec) isCoveringEigenoptions() bool {
	var want Spec
	want.setCoveringEigenoptions()
	return s.Basis == want.Basis && s.Dataset == want.Dataset && s.Select == want.Select && s.Method == want.Method &&
		s.StateSet == want.StateSet && s.PsiPart == want.PsiPart && s.PsiPasses == want.PsiPasses &&
		s.Sides == want.Sides && s.OptionProbability == want.OptionProbability && s.Restart == want.Restart
}

// Reading returns the name of the spec's reading, or BASIS+DATASET if it has none.
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

// Readings returns the names of the readings that set only basis and dataset.
func Readings() []string {
	var names []string
	for _, r := range readings {
		names = append(names, r.name)
	}
	return names
}

// DescribeReadings lists these readings, with what they set.
func DescribeReadings() string {
	var all []string
	for _, r := range readings {
		all = append(all, fmt.Sprintf("%s (%s, %s)", r.name, r.basis, r.dataset))
	}
	return strings.Join(all, " or ")
}

// AllReadings returns the names of all readings.
func AllReadings() []string { return append(Readings(), CoveringEigenoptions) }

// SetReading sets the fields of the named reading. The error wraps [ErrSpec] if there is no such reading.
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
	return Hint(fmt.Errorf("%w: reading %q", ErrSpec, name), AdviceChoose, Choice{name, "readings", AllReadings()})
}
