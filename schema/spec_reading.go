package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/schema/wire"
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

// MaxSpecJSON is the largest size of a spec as JSON, in bytes.
const MaxSpecJSON = 1 << 20

// ReadJSON reads a spec as JSON over s. A field that the document omits keeps its value; but if the document
// names another environment, the parameters of the former are dropped. Unknown fields are refused with
// [ErrSpec]. After an error s is unchanged.
func (s *Spec) ReadJSON(r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, MaxSpecJSON+1))
	if err != nil {
		return err
	}
	changed := *s
	changed.Env, changed.Stages = s.Env.Clone(), s.Stages.clone() // decoding writes into the maps
	if err := changed.decodeJSON(data); err != nil || len(data) > MaxSpecJSON {
		return Hint(fmt.Errorf("%w: %w", ErrSpec, cmp.Or(err, errTooLong)), AdvicePrintSpec)
	}
	*s = changed
	return nil
}

var errTooLong = errors.New("more than 1 MiB of JSON")

func (s *Spec) decodeJSON(data []byte) error {
	switch text := bytes.TrimSpace(data); {
	case len(text) == 0:
		return errors.New("the document is empty")
	case text[0] != '{':
		return errors.New("the JSON document is not an object")
	}
	var other struct{ Env struct{ Name string } }
	if json.Unmarshal(data, &other) == nil && other.Env.Name != "" && other.Env.Name != s.Env.Name {
		s.Env = Env{}
	}
	err := wire.DecodeJSON(data, s)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON document ends before it is complete")
	}
	return err
}
