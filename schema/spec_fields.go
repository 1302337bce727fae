package schema

import (
	"cmp"
	"strconv"
	"strings"
)

// A Field is one of a spec's fields as text.
type Field struct{ Name, Value string }

// A ValueKind is a kind of values that fields have.
type ValueKind string

// The kinds of values of a spec's fields.
const (
	Natural     ValueKind = "natural" // a whole number from 0 to 2⁶⁴ − 1
	Integer     ValueKind = "integer" // a whole number of 64 bits with a sign
	Number      ValueKind = "number"  // a finite number
	Word        ValueKind = "word"    // one of a few words
	Text        ValueKind = "text"
	DigestValue ValueKind = "digest"
)

// FieldType describes the values of a field.
type FieldType struct {
	Kind  ValueKind
	Words func() []string // of a Word, podtrack's own words; else nil

	// Allows reports whether a text that is none of the words is a value too; nil if none is.
	Allows func(text string) bool
}

// The types that need no more than a kind.
var (
	naturalType = FieldType{Kind: Natural}
	integerType = FieldType{Kind: Integer}
	numberType  = FieldType{Kind: Number}
	digestType  = FieldType{Kind: DigestValue}
)

// wordsOf returns the type of a field whose values are words.
func wordsOf(words func() []string) FieldType { return FieldType{Kind: Word, Words: words} }

// stageOf returns the type of a field that names what computes a stage: one of some words, or the name and the version
// that a program declares.
func stageOf(words func() []string) FieldType {
	return FieldType{Kind: Word, Words: words, Allows: func(text string) bool { return strings.Contains(text, " ") }}
}

// listOf returns a function that returns words.
func listOf(words ...string) func() []string { return func() []string { return words } }

// A specField is a field of specs.
type specField struct {
	name  string
	holds FieldType
	text  func(Spec) string

	// isOptional is true if a spec shows the field only where its text is not empty. An empty text stands for the
	// default, usual, which is "" if the field cannot be set.
	isOptional bool
	usual      string
}

// fields are the fields of specs, in display order, after the environment and its parameters.
var fields = []specField{
	{name: "seed", holds: naturalType, text: func(s Spec) string { return strconv.FormatUint(s.Seed, 10) }},
	{name: "steps", holds: integerType, text: func(s Spec) string { return strconv.FormatInt(s.Steps, 10) }},
	{name: "kappa", holds: numberType, text: func(s Spec) string { return formatFloat(s.Kappa) }},
	{name: "gamma", holds: numberType, text: func(s Spec) string { return formatFloat(s.Gamma) }},
	{name: "sweeps", holds: integerType, text: func(s Spec) string { return strconv.FormatInt(s.Sweeps, 10) }},
	{name: "tolerance", holds: numberType, text: func(s Spec) string { return formatFloat(s.Tolerance) }},
	{name: "basis", holds: wordsOf(bases), text: func(s Spec) string { return string(s.Basis) }},
	{name: "dataset", holds: wordsOf(listOf(string(PerIteration), string(Cumulative))),
		text: func(s Spec) string { return string(s.Dataset) }},
	{name: "select", holds: selectType, text: func(s Spec) string { return s.stageText(SelectStage, string(s.Select)) }},
	{name: "learner", holds: stageOf(Learners.BuiltinNames),
		text: func(s Spec) string { return s.stageText(LearnerStage, string(s.Learner)) }},
	{name: "numerics", holds: naturalType, text: func(s Spec) string { return strconv.FormatUint(s.Numerics, 10) }},
	{name: "data", holds: digestType, isOptional: true, text: func(s Spec) string {
		if s.Data.IsZero() {
			return ""
		}
		return s.Data.String()
	}},
	optional("method", string(POD), stageOf(Methods.BuiltinNames),
		func(s Spec) string { return s.stageText(MethodStage, string(s.Method)) }),
	optional("collect", DefaultPolicy, stageOf(listOf(DefaultPolicy)),
		func(s Spec) string { return s.stageText(CollectStage, "") }),
	optional("measure", NoMeasures, stageOf(listOf(NoMeasures)),
		func(s Spec) string { return s.stageText(MeasureStage, "") }),
	optional("max_option_steps", "0", integerType,
		func(s Spec) string { return omitZero(strconv.FormatInt(s.MaxOptionSteps, 10)) }),
	optional("state_set", allStates, wordsOf(listOf(allStates, string(VisitedStates))),
		func(s Spec) string { return string(s.StateSet) }),
	optional("psi_gamma", "0", numberType, func(s Spec) string { return omitZero(formatFloat(s.PsiGamma)) }),
	optional("feature_scale", noScale, wordsOf(listOf(noScale, string(RMS))),
		func(s Spec) string { return string(s.FeatureScale) }),
	optional("initiation", anyStart, wordsOf(listOf(anyStart, string(StartObserved))),
		func(s Spec) string { return string(s.Initiation) }),
	optional("lifetime", keepForever, lifetimeType, func(s Spec) string { return string(s.Options) }),
	optional("option_probability", "0", numberType,
		func(s Spec) string { return omitZero(formatFloat(s.OptionProbability)) }),
	optional("sides", bothSides, wordsOf(listOf(bothSides, string(OneSided))),
		func(s Spec) string { return string(s.Sides) }),
	optional("leave_out", noOptions, leaveOutType, func(s Spec) string { return formatOptions(s.LeaveOut) }),
}

// optional returns a field that a spec shows only where it does not have its usual value.
func optional(name, usual string, holds FieldType, text func(Spec) string) specField {
	return specField{name: name, holds: holds, text: text, isOptional: true, usual: usual}
}

// omitZero returns the text of a number, or "" for 0.
func omitZero(text string) string {
	if text == "0" || text == "-0" {
		return ""
	}
	return text
}

// shown returns the field's text in a spec, and whether the spec shows it.
func (s *specField) shown(spec Spec) (text string, shown bool) {
	text = s.text(spec)
	return text, text != "" || !s.isOptional
}

// findField returns the field of that name, or nil.
func findField(name string) *specField {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

// The types of fields whose values are words, or texts of a certain form.
var (
	selectType = FieldType{Kind: Word, Words: listOf(string(Threshold)), Allows: func(text string) bool {
		_, err := Select(text).ParseRule()
		return err == nil || strings.Contains(text, " ")
	}}
	lifetimeType = FieldType{Kind: Word, Words: listOf(keepForever, string(ReplaceOptions)),
		Allows: func(text string) bool {
			_, err := parseLifetime(text)
			return err == nil
		}}
	leaveOutType = FieldType{Kind: Word, Words: listOf(noOptions), Allows: func(text string) bool {
		_, err := parseOptions(text)
		return err == nil
	}}
)

// TypeOfField returns the type of a field that every spec has, or can have, whatever its environment.
func TypeOfField(name string) (t FieldType, found bool) {
	if name == "env" {
		return FieldType{Kind: Text}, true
	}
	if f := findField(name); f != nil {
		return f.holds, true
	}
	return t, false
}

// OptionalFields returns the names of the fields that can be set, and that a spec shows only where they do not have
// their defaults.
func OptionalFields() (names []string) {
	for _, f := range fields {
		if f.usual != "" {
			names = append(names, f.name)
		}
	}
	return names
}

// Fields returns all fields of the spec, the environment's parameters included, in display
// order.
func (s Spec) Fields() []Field {
	parameters := s.Env.Parameters()
	list := make([]Field, 0, 1+len(parameters)+len(fields))
	list = append(list, Field{"env", s.Env.Name})
	for _, key := range parameters {
		value, _ := s.Env.Parameter(key)
		list = append(list, Field{key, value})
	}
	for i := range fields {
		if text, shown := fields[i].shown(s); shown {
			list = append(list, Field{fields[i].name, text})
		}
	}
	return append(list, s.StageParameters()...)
}

// FieldNames returns the names of [Spec.Fields].
func (s Spec) FieldNames() []string {
	parameters := s.Env.Parameters()
	names := make([]string, 0, 1+len(parameters)+len(fields))
	names = append(append(names, "env"), parameters...)
	for i := range fields {
		if _, shown := fields[i].shown(s); shown {
			names = append(names, fields[i].name)
		}
	}
	for _, f := range s.StageParameters() {
		names = append(names, f.Name)
	}
	return names
}

// Get returns the named field as text, and whether the spec has it. Of several fields of one name it is the
// first of [Spec.Fields].
func (s Spec) Get(name string) (string, bool) {
	if name == "env" {
		return s.Env.Name, true
	}
	if v, ok := s.Env.Parameter(name); ok {
		return v, true
	}
	if f := findField(name); f != nil {
		text, shown := f.shown(s)
		return cmp.Or(text, f.usual), shown || f.usual != ""
	}
	for _, f := range s.StageParameters() {
		if f.Name == name {
			return f.Value, true
		}
	}
	return "", false
}
