package schema

import (
	"cmp"
	"strconv"
)

// A Field is one of a spec's fields as text.
type Field struct{ Name, Value string }

// fields are the fields of every spec, in display order, after the environment and its
// parameters.
var fields = []struct {
	name string
	text func(Spec) string
}{
	{"seed", func(s Spec) string { return strconv.FormatUint(s.Seed, 10) }},
	{"steps", func(s Spec) string { return strconv.FormatInt(s.Steps, 10) }},
	{"kappa", func(s Spec) string { return formatFloat(s.Kappa) }},
	{"gamma", func(s Spec) string { return formatFloat(s.Gamma) }},
	{"sweeps", func(s Spec) string { return strconv.FormatInt(s.Sweeps, 10) }},
	{"tolerance", func(s Spec) string { return formatFloat(s.Tolerance) }},
	{"basis", func(s Spec) string { return string(s.Basis) }},
	{"dataset", func(s Spec) string { return string(s.Dataset) }},
	{"select", func(s Spec) string { return s.stageText(SelectStage, string(s.Select)) }},
	{"learner", func(s Spec) string { return s.stageText(LearnerStage, string(s.Learner)) }},
	{"numerics", func(s Spec) string { return strconv.FormatUint(s.Numerics, 10) }},
}

// laterFields were added after the first version. A spec shows one, after the others,
// unless its text is empty, which stands for the default.
var laterFields = []struct {
	name, usual string
	text        func(Spec) string
}{
	{"data", "", func(s Spec) string {
		if s.Data.IsZero() {
			return ""
		}
		return s.Data.String()
	}},
	{"method", string(POD), func(s Spec) string { return s.stageText(MethodStage, string(s.Method)) }},
	{"collect", DefaultPolicy, func(s Spec) string { return s.stageText(CollectStage, "") }},
	{"measure", NoMeasures, func(s Spec) string { return s.stageText(MeasureStage, "") }},
	{"max_option_steps", "0", func(s Spec) string {
		if s.MaxOptionSteps == 0 {
			return ""
		}
		return strconv.FormatInt(s.MaxOptionSteps, 10)
	}},
	{"state_set", allStates, func(s Spec) string { return string(s.StateSet) }},
	{"psi_gamma", "0", func(s Spec) string {
		if s.PsiGamma == 0 {
			return ""
		}
		return formatFloat(s.PsiGamma)
	}},
	{"feature_scale", noScale, func(s Spec) string { return string(s.FeatureScale) }},
	{"initiation", anyStart, func(s Spec) string { return string(s.Initiation) }},
	{"lifetime", keepForever, func(s Spec) string { return string(s.Options) }},
	{"option_probability", "0", func(s Spec) string {
		if s.OptionProbability == 0 {
			return ""
		}
		return formatFloat(s.OptionProbability)
	}},
	{"sides", bothSides, func(s Spec) string { return string(s.Sides) }},
	{"leave_out", noOptions, func(s Spec) string { return formatOptions(s.LeaveOut) }},
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
