package schema

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

// measures are all measures by name, in the order of the struct. Counts are far below 2⁵³,
// so that each is exact as a float64.
var measures = []struct {
	name, title, unit string
	of                func(Measures) *float64
}{
	{"purposes", "purposes", "", func(m Measures) *float64 { return toFloat(&m.Purposes) }},
	{"options", "options", "", func(m Measures) *float64 { return toFloat(&m.Options) }},
	{"available", "available", "options", func(m Measures) *float64 { return toFloat(&m.Available) }},
	{"calls", "calls", "", func(m Measures) *float64 { return toFloat(&m.Calls) }},
	{"truncated", "truncated", "calls", func(m Measures) *float64 { return toFloat(&m.Truncated) }},
	{"option_length", "option length", "steps", func(m Measures) *float64 { return m.OptionLength }},
	{"reach", "mean steps", "steps", func(m Measures) *float64 { return m.Reach }},
	{"distance", "distance", "steps", func(m Measures) *float64 { return toFloat(m.Distance) }},
	{"final", "final", "steps", func(m Measures) *float64 { return toFloat(m.Final) }},
	{"distance_one_sided", "one-sided", "steps", func(m Measures) *float64 { return toFloat(m.DistanceOneSided) }},
	{"states_visited", "states", "", func(m Measures) *float64 { return toFloat(&m.StatesVisited) }},
}

func toFloat(n *int64) *float64 {
	if n == nil {
		return nil
	}
	x := float64(*n)
	return &x
}

// MeasureNames returns the names that [Measures.Get] knows, in the order of the struct.
func MeasureNames() []string {
	var names []string
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// MeasureName returns the name of the measure with that title, or the text if it is no title.
func MeasureName(title string) string {
	for _, m := range measures {
		if m.title == title {
			return m.name
		}
	}
	return title
}

// MeasureTitle returns what people read as the name of a measure, and its unit, "" for a count.
func MeasureTitle(name string) (title, unit string) {
	for _, m := range measures {
		if m.name == name {
			return m.title, m.unit
		}
	}
	return name, ""
}

// Get returns the named measure, nil if it is undefined, and whether there is one of that
// name.
func (m Measures) Get(name string) (*float64, bool) {
	for _, known := range measures {
		if known.name == name {
			return known.of(m), true
		}
	}
	return nil, false
}

// Encode returns the record's bytes. Shape: []. Payload: one CBOR map.
func (m Measures) Encode() ([]byte, error) {
	p := newRecordWriter(KindMeasures, 256)
	p.writeCBOR(m)
	return p.finish(KindMeasures)
}

// DecodeMeasures decodes what [Measures.Encode] returns.
func DecodeMeasures(record []byte) (Measures, error) {
	_, u, err := openRecord(record, KindMeasures, 0)
	if err != nil {
		return Measures{}, err
	}
	var m Measures
	u.readCBOR(&m)
	return m, wrapDecodeError(KindMeasures, u.end())
}
