package schema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Set sets the named field from text. It returns [ErrSpec] if the text cannot be parsed;
// [Spec.Validate] and the environment check the value itself. After an error the spec is
// unchanged.
func (s *Spec) Set(name, value string) error {
	changed := *s
	err := changed.set(name, value)
	if err == nil {
		*s = changed
	}
	return err
}

func (s *Spec) set(name, value string) (err error) {
	f := findField(name)
	switch {
	case f != nil:
		err = f.set(s, value)
	case name == "env":
		s.Env.Name = value
	case name == "reading":
		return s.SetReading(value)
	default:
		err = s.setParameter(name, value)
	}
	if err != nil && !errors.Is(err, ErrSpec) {
		return Invalid(name, value, "give a %s", f.describeValue())
	}
	return err
}

// Settable returns the names that [Spec.Set] accepts.
func (s *Spec) Settable() []string {
	names := []string{"reading"}
	for _, name := range append(s.FieldNames(), OptionalFields()...) {
		if name != "env" && name != "data" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// setParameter sets a parameter of the environment.
func (s *Spec) setParameter(name, value string) (err error) {
	_, number := s.Env.Params[name]
	_, text := s.Env.Text[name]
	s.Env = s.Env.Clone()
	switch {
	case number:
		s.Env.Params[name], err = strconv.ParseInt(textfmt.PlainInteger(value), 10, 64)
	case text:
		s.Env.Text[name] = value
	default:
		err = Hint(fmt.Errorf("%w: no field %q", ErrSpec, name), AdviceChoose, Choice{name, "fields", s.Settable()})
	}
	return err
}

// describeValue returns what can be set, nil for a parameter of an environment.
func (f *specField) describeValue() string {
	switch {
	case f == nil:
	case f.form != "":
		return f.form
	case f.holds.Kind == Number:
		return "number such as 0.99"
	case f.holds.Kind == Natural:
		return "whole number from 0 to 18446744073709551615"
	}
	return "whole number"
}
