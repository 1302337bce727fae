package schema

import (
	"maps"
	"slices"
	"strconv"
)

// Field is one of a spec's fields as text.
type Field struct{ Name, Value string }

// fields are those that every spec has, in the order in which they are shown
// after the environment and its parameters.
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
	{"select", func(s Spec) string { return string(s.Select) }},
	{"learner", func(s Spec) string { return string(s.Learner) }},
	{"numerics", func(s Spec) string { return strconv.FormatUint(s.Numerics, 10) }},
}

// Fields are all fields that the spec has, parameters of the environment included,
// in the order in which they are shown.
func (s Spec) Fields() []Field {
	list := []Field{{"env", s.Env.Name}}
	for _, key := range slices.Sorted(maps.Keys(s.Env.Params)) {
		list = append(list, Field{key, strconv.FormatInt(s.Env.Params[key], 10)})
	}
	for _, f := range fields {
		list = append(list, Field{f.name, f.text(s)})
	}
	if !s.Data.IsZero() {
		list = append(list, Field{"data", s.Data.String()})
	}
	return list
}

// Get is the named field as text: the first of that name in [Spec.Fields].
func (s Spec) Get(name string) (string, bool) {
	if name == "env" {
		return s.Env.Name, true
	}
	if v, ok := s.Env.Params[name]; ok {
		return strconv.FormatInt(v, 10), true
	}
	for i := range fields {
		if fields[i].name == name {
			return fields[i].text(s), true
		}
	}
	if name == "data" && !s.Data.IsZero() {
		return s.Data.String(), true
	}
	return "", false
}
