package schema

import (
	"cmp"
	"strconv"
	"strings"
)

// A Field is one of a spec's fields as text.
type Field struct{ Name, Value string }

// A ValueKind is what the values of a field are.
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
	Words func() []string // of a Word, those that podtrack has itself; else nil

	// Allows reports whether a text that is none of the words is a value, too; nil for never.
	Allows func(text string) bool
}

// The types that need no more than a kind.
var (
	naturalType = FieldType{Kind: Natural}
	integerType = FieldType{Kind: Integer}
	numberType  = FieldType{Kind: Number}
	digestType  = FieldType{Kind: DigestValue}
)

// wordsOf returns the type of a field with some words for values.
func wordsOf(words func() []string) FieldType { return FieldType{Kind: Word, Words: words} }

// stageOf returns the type of a field that names what computes a stage: one of some words, or the name and the version
// that a program declares.
func stageOf(words func() []string) FieldType {
	return FieldType{Kind: Word, Words: words, Allows: func(text string) bool { return strings.Contains(text, " ") }}
}

// listOf returns a function that returns words.
func listOf(words ...string) func() []string { return func() []string { return words } }

// fields are the fields of every spec, in display order, after the environment and its
// parameters.
var fields = []struct {
	name  string
	holds FieldType
	text  func(Spec) string
}{
	{"seed", naturalType, func(s Spec) string { return strconv.FormatUint(s.Seed, 10) }},
	{"steps", integerType, func(s Spec) string { return strconv.FormatInt(s.Steps, 10) }},
	{"kappa", numberType, func(s Spec) string { return formatFloat(s.Kappa) }},
	{"gamma", numberType, func(s Spec) string { return formatFloat(s.Gamma) }},
	{"sweeps", integerType, func(s Spec) string { return strconv.FormatInt(s.Sweeps, 10) }},
	{"tolerance", numberType, func(s Spec) string { return formatFloat(s.Tolerance) }},
	{"basis", wordsOf(Bases), func(s Spec) string { return string(s.Basis) }},
	{"dataset", wordsOf(listOf(string(PerIteration), string(Cumulative))),
		func(s Spec) string { return string(s.Dataset) }},
	{"select", selectType, func(s Spec) string { return s.stageText(SelectStage, string(s.Select)) }},
	{"learner", stageOf(Learners.BuiltinNames),
		func(s Spec) string { return s.stageText(LearnerStage, string(s.Learner)) }},
	{"numerics", naturalType, func(s Spec) string { return strconv.FormatUint(s.Numerics, 10) }},
}

// laterFields were added after the first version. A spec shows one, after the others,
// unless its text is empty, which stands for the default.
var laterFields = []struct {
	name, usual string
	holds       FieldType
	text        func(Spec) string
}{
	{"data", "", digestType, func(s Spec) string {
		if s.Data.IsZero() {
			return ""
		}
		return s.Data.String()
	}},
	{"method", string(POD), stageOf(Methods.BuiltinNames),
		func(s Spec) string { return s.stageText(MethodStage, string(s.Method)) }},
	{"collect", DefaultPolicy, stageOf(listOf(DefaultPolicy)),
		func(s Spec) string { return s.stageText(CollectStage, "") }},
	{"measure", NoMeasures, stageOf(listOf(NoMeasures)),
		func(s Spec) string { return s.stageText(MeasureStage, "") }},
	{"max_option_steps", "0", integerType, func(s Spec) string {
		if s.MaxOptionSteps == 0 {
			return ""
		}
		return strconv.FormatInt(s.MaxOptionSteps, 10)
	}},
	{"state_set", allStates, wordsOf(listOf(allStates, string(VisitedStates))),
		func(s Spec) string { return string(s.StateSet) }},
	{"psi_gamma", "0", numberType, func(s Spec) string {
		if s.PsiGamma == 0 {
			return ""
		}
		return formatFloat(s.PsiGamma)
	}},
	{"feature_scale", noScale, wordsOf(listOf(noScale, string(RMS))),
		func(s Spec) string { return string(s.FeatureScale) }},
	{"initiation", anyStart, wordsOf(listOf(anyStart, string(StartObserved))),
		func(s Spec) string { return string(s.Initiation) }},
	{"lifetime", keepForever, lifetimeType, func(s Spec) string { return string(s.Options) }},
	{"option_probability", "0", numberType, func(s Spec) string {
		if s.OptionProbability == 0 {
			return ""
		}
		return formatFloat(s.OptionProbability)
	}},
	{"sides", bothSides, wordsOf(listOf(bothSides, string(OneSided))),
		func(s Spec) string { return string(s.Sides) }},
	{"leave_out", noOptions, leaveOutType, func(s Spec) string { return formatOptions(s.LeaveOut) }},
}

// The types of fields whose values are words with more to them.
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
	for i := range fields {
		if fields[i].name == name {
			return fields[i].holds, true
		}
	}
	for i := range laterFields {
		if laterFields[i].name == name {
			return laterFields[i].holds, true
		}
	}
	return t, false
}

// OptionalFields returns the names of the fields that were added after the first version
// and can be set.
func OptionalFields() (names []string) {
	for _, f := range laterFields {
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
	list := make([]Field, 0, 1+len(parameters)+len(fields)+len(laterFields))
	list = append(list, Field{"env", s.Env.Name})
	for _, key := range parameters {
		value, _ := s.Env.Parameter(key)
		list = append(list, Field{key, value})
	}
	for _, f := range fields {
		list = append(list, Field{f.name, f.text(s)})
	}
	for _, f := range laterFields {
		if value := f.text(s); value != "" {
			list = append(list, Field{f.name, value})
		}
	}
	return append(list, s.StageParameters()...)
}

// FieldNames returns the names of [Spec.Fields].
func (s Spec) FieldNames() []string {
	parameters := s.Env.Parameters()
	names := make([]string, 0, 1+len(parameters)+len(fields)+len(laterFields))
	names = append(append(names, "env"), parameters...)
	for i := range fields {
		names = append(names, fields[i].name)
	}
	for _, f := range laterFields {
		if f.text(s) != "" {
			names = append(names, f.name)
		}
	}
	for _, f := range s.StageParameters() {
		names = append(names, f.Name)
	}
	return names
}

// Get returns the named field as text, and whether there is one: the first of that name in
// [Spec.Fields].
func (s Spec) Get(name string) (string, bool) {
	if name == "env" {
		return s.Env.Name, true
	}
	if v, ok := s.Env.Parameter(name); ok {
		return v, true
	}
	for i := range fields {
		if fields[i].name == name {
			return fields[i].text(s), true
		}
	}
	for _, f := range laterFields {
		if f.name == name {
			value := cmp.Or(f.text(s), f.usual)
			return value, value != ""
		}
	}
	for _, f := range s.StageParameters() {
		if f.Name == name {
			return f.Value, true
		}
	}
	return "", false
}
