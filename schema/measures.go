package schema

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"

	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/schema/wire"
)

// Measures summarise an iteration. A nil measure is undefined: no option was called, or
// the environment declares no distance.
type Measures struct {
	Purposes  int64 `cbor:"purposes" json:"purposes"`   // selected directions; both signs count once
	Options   int64 `cbor:"options" json:"options"`     // options made by this iteration
	Available int64 `cbor:"available" json:"available"` // options in this iteration's action set

	Calls        int64    `cbor:"calls" json:"calls"`                 // option calls
	Truncated    int64    `cbor:"truncated" json:"truncated"`         // calls truncated by the iteration's end
	OptionLength *float64 `cbor:"option_length" json:"option_length"` // mean steps of a call, truncated ones too
	Reach        *float64 `cbor:"reach" json:"reach"`                 // mean of the options' mean paths

	Distance         *int64 `cbor:"distance" json:"distance"`                     // max_t dist(s₀, s_t)
	Final            *int64 `cbor:"final" json:"final"`                           // dist(s₀, s_n)
	DistanceOneSided *int64 `cbor:"distance_one_sided" json:"distance_one_sided"` // max_t (x_t − x₀)
	StatesVisited    int64  `cbor:"states_visited" json:"states_visited"`         // distinct, the first one included
}

// measures are all measures, in the order of the struct. Counts are far below 2⁵³, so that each is exact as a float64.
var measures = MeasureTable[Measures]{
	{MeasureInfo{Name: "purposes", Title: "purposes",
		Meaning: "how many directions were selected, not doubled for the sign"},
		func(m Measures) *float64 { return CountMeasure(&m.Purposes) }},
	{MeasureInfo{Name: "options", Title: "options", Meaning: "how many options the iteration made",
		Rank: 3, IsDetail: true},
		func(m Measures) *float64 { return CountMeasure(&m.Options) }},
	{MeasureInfo{Name: "available", Title: "available", Unit: "options",
		Meaning: "how many options were in its action set", Rank: 5},
		func(m Measures) *float64 { return CountMeasure(&m.Available) }},
	{MeasureInfo{Name: "calls", Title: "calls", Meaning: "how often the agent called an option"},
		func(m Measures) *float64 { return CountMeasure(&m.Calls) }},
	{MeasureInfo{Name: "truncated", Title: "truncated", Unit: "calls",
		Meaning: "calls truncated by the end of the iteration", Rank: 2, IsDetail: true},
		func(m Measures) *float64 { return CountMeasure(&m.Truncated) }},
	{MeasureInfo{Name: "option_length", Title: "option length", Unit: "steps",
		Meaning: "mean number of steps executed in a call, truncated calls included", Digits: 1},
		func(m Measures) *float64 { return m.OptionLength }},
	{MeasureInfo{Name: "reach", Title: "mean steps", Unit: "steps",
		Meaning: "mean steps to termination: of each available option over its I, averaged over the options",
		Digits:  1},
		func(m Measures) *float64 { return m.Reach }},
	{MeasureInfo{Name: "distance", Title: "distance", Unit: "steps",
		Meaning: "the farthest that the agent was from its first state: on a ring in steps either way, on a grid along the " +
			"shortest path"},
		func(m Measures) *float64 { return CountMeasure(m.Distance) }},
	{MeasureInfo{Name: "final", Title: "final", Unit: "steps", Meaning: "the distance of the last state from the first",
		Rank: 1, IsDetail: true},
		func(m Measures) *float64 { return CountMeasure(m.Final) }},
	{MeasureInfo{Name: "distance_one_sided", Title: "one-sided", Unit: "steps",
		Meaning: "on a ring: the farthest to the right of the first state", Rank: 1, IsDetail: true},
		func(m Measures) *float64 { return CountMeasure(m.DistanceOneSided) }},
	{MeasureInfo{Name: "states_visited", Title: "states", IsOfStates: true,
		Meaning: "distinct states visited, the first one included"},
		func(m Measures) *float64 { return CountMeasure(&m.StatesVisited) }},
}

// CountMeasure returns the measure of an optional count.
func CountMeasure(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// MeasureInfos returns the descriptions of the measures of an iteration, in the order of the struct.
func MeasureInfos() []MeasureInfo { return measures.Infos() }

// MeasureNames returns the names that [Measures.Get] accepts, in the order of the struct.
func MeasureNames() []string { return measures.Names() }

// Get returns the named measure, nil if it is undefined, and whether the name is known.
func (m Measures) Get(name string) (*float64, bool) { return measures.Get(name, m) }

// Encode returns the record's bytes. Shape: []. Payload: one CBOR map.
func (m Measures) Encode() ([]byte, error) {
	p := newRecordWriter(KindMeasures, 256)
	p.WriteCBOR(m)
	return p.Finish(KindMeasures)
}

// DecodeMeasures decodes what [Measures.Encode] returns.
func DecodeMeasures(record []byte) (Measures, error) {
	return decodeRecord(record, KindMeasures, 0, readCBOR[Measures], nil)
}

// MeasureInfo describes a measure. Tables, filters, figures and the glossary all use it.
type MeasureInfo struct {
	Name  string // in CSV, JSON, filters and flags
	Title string // for people
	Unit  string // "" for a count or a share

	// Meaning is the glossary's description, without a final full stop.
	Meaning string

	IsShare    bool // from 0 to 1
	IsOfStates bool // counts states of the environment
	OfOptions  bool // read from options, which can be pruned
	IsCensored bool // a time to reach something: undefined until a run has reached it

	// Rank is the order in which a table of iterations that is too wide hides measures: 1 first, 0 last.
	Rank int
	// Digits are those after the point in a table of iterations, where each iteration records the measure.
	Digits int
	// IsDetail says that only a table of all columns has the measure.
	IsDetail bool
}

// MeasureTable defines the measures of a type: a description of each, and a function that returns its value, nil if it
// is undefined.
type MeasureTable[T any] []struct {
	MeasureInfo
	Of func(T) *float64
}

// Infos returns the descriptions of the measures.
func (m MeasureTable[T]) Infos() []MeasureInfo {
	var infos []MeasureInfo
	for _, e := range m {
		infos = append(infos, e.MeasureInfo)
	}
	return infos
}

// Names returns the names of the measures.
func (m MeasureTable[T]) Names() []string {
	return textfmt.Map(m.Infos(), func(info MeasureInfo) string { return info.Name })
}

// Get returns the named measure of a value, nil if it is undefined, and whether the name is known.
func (m MeasureTable[T]) Get(name string, of T) (*float64, bool) {
	for _, e := range m {
		if e.Name == name {
			return e.Of(of), true
		}
	}
	return nil, false
}

// ExternalMeasures are what an external stage measured in an iteration, by name. A nil measure is undefined.
type ExternalMeasures map[string]*float64

const maxExternalMeasures = 64

const maxMeasureNameBytes = 40

var measureNamePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func isMeasureName(name string) bool {
	return len(name) <= maxMeasureNameBytes && measureNamePattern.MatchString(name)
}

// Encode returns the record's bytes. Shape: []. Payload: one CBOR map.
func (e ExternalMeasures) Encode() ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	p := newRecordWriter(KindExternalMeasures, 64*len(e))
	p.WriteCBOR(map[string]*float64(e))
	return p.Finish(KindExternalMeasures)
}

// DecodeExternalMeasures decodes what [ExternalMeasures.Encode] returns.
func DecodeExternalMeasures(record []byte) (ExternalMeasures, error) {
	return decodeRecord(record, KindExternalMeasures, 0, readCBOR[ExternalMeasures], ExternalMeasures.check)
}

func readCBOR[T any](r *recordReader) (v T) {
	r.ReadCBOR(&v)
	return v
}

// check returns [wire.ErrMalformed] unless a record may have these names and numbers.
func (e ExternalMeasures) check() error {
	if len(e) > maxExternalMeasures {
		return fmt.Errorf("%w: %d measures, more than %d", wire.ErrMalformed, len(e), maxExternalMeasures)
	}
	for _, name := range slices.Sorted(maps.Keys(e)) {
		switch x := e[name]; {
		case !isMeasureName(name):
			return fmt.Errorf("%w: invalid measure name %.80q", wire.ErrMalformed, name)
		case x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0) || *x == 0 && math.Signbit(*x)):
			return fmt.Errorf("%w: measure %s is %v", wire.ErrMalformed, name, *x)
		}
	}
	return nil
}
