package schema

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

type reading struct {
	name string
	set  func(*Spec)
}

// readings are the combinations of values that have a name, because a paper can be read in these ways: those of basis
// and dataset, for the paper on POD, and then one that sets more. A spec does not store its reading.
var readings = []reading{
	{"as-written", func(s *Spec) { s.Basis, s.Dataset = RightSingular, PerIteration }},
	{"as-published", func(s *Spec) { s.Basis, s.Dataset = RowsOfV, Cumulative }},
	{CoveringEigenoptions, func(s *Spec) {
		s.Basis, s.Dataset, s.Select = RightSingular, Cumulative, "top=1"
		s.Method, s.StateSet, s.PsiPart, s.PsiPasses = Successor, VisitedStates, SymmetricPart, 10
		s.Sides, s.OptionProbability, s.Restart = PublishedSides, 0.05, EachIteration
	}},
}

// CoveringEigenoptions is the reading for covering eigenoptions, from Machado, Barreto, Precup & Bowling,
// "Temporal Abstraction in Reinforcement Learning with the Successor Representation" (Journal of Machine
// Learning Research 24, 2023). Each iteration learns one option, for the first direction of a successor
// representation that is learned over all iterations. Options are called with a small probability. The discounts and
// step sizes of that paper are the defaults of a spec, 0.99 and 0.1.
const CoveringEigenoptions = "covering-eigenoptions"

// Reading returns the name of the spec's reading, or BASIS+DATASET if it has none.
func (s Spec) Reading() string {
	for _, r := range readings {
		read := s
		if r.set(&read); reflect.DeepEqual(read, s) {
			return r.name
		}
	}
	return string(s.Basis) + "+" + string(s.Dataset)
}

// AllReadings returns the names of all readings.
func AllReadings() []string { return textfmt.Map(readings, func(r reading) string { return r.name }) }

// Readings returns the names of the readings that set only basis and dataset.
func Readings() []string { return AllReadings()[:len(readings)-1] }

// DescribeReadings lists these readings, with what they set.
func DescribeReadings() string {
	var all []string
	for _, r := range readings[:len(readings)-1] {
		var s Spec
		r.set(&s)
		all = append(all, fmt.Sprintf("%s (%s, %s)", r.name, s.Basis, s.Dataset))
	}
	return strings.Join(all, " or ")
}

// SetReading sets the fields of the named reading. The error wraps [ErrSpec] if there is no such reading.
func (s *Spec) SetReading(name string) error {
	for _, r := range readings {
		if r.name == name {
			r.set(s)
			return nil
		}
	}
	return Hint(fmt.Errorf("%w: reading %q", ErrSpec, name), AdviceChoose, Choice{name, "readings", AllReadings()})
}
