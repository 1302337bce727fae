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
	switch name {
	case "env":
		s.Env.Name = value
	case "seed":
		s.Seed, err = strconv.ParseUint(textfmt.PlainInteger(value), 10, 64)
	case "steps":
		s.Steps, err = strconv.ParseInt(textfmt.PlainInteger(value), 10, 64)
	case "kappa":
		s.Kappa, err = strconv.ParseFloat(value, 64)
	case "gamma":
		s.Gamma, err = strconv.ParseFloat(value, 64)
	case "sweeps":
		s.Sweeps, err = strconv.ParseInt(textfmt.PlainInteger(value), 10, 64)
	case "tolerance":
		s.Tolerance, err = strconv.ParseFloat(value, 64)
	case "basis":
		s.Basis = Basis(value)
	case "dataset":
		s.Dataset = Dataset(value)
	case "select":
		s.setBuiltinStage(SelectStage, value)
	case "method":
		s.setBuiltinStage(MethodStage, value)
		if value == string(POD) {
			s.Method = ""
		}
	case "collect":
		if value != DefaultPolicy {
			return Advise(fmt.Errorf("%w: %s %q", ErrSpec, name, value), AdviceStageNames, DefaultPolicy)
		}
		s.SetStage(CollectStage, nil)
	case "measure":
		if value != NoMeasures {
			return Advise(fmt.Errorf("%w: %s %q", ErrSpec, name, value), AdviceStageNames, NoMeasures)
		}
		s.SetStage(MeasureStage, nil)
	case "max_option_steps":
		s.MaxOptionSteps, err = strconv.ParseInt(textfmt.PlainInteger(value), 10, 64)
	case "state_set":
		s.StateSet = StateSet(value)
		if value == allStates {
			s.StateSet = AllStates
		}
	case "psi_gamma":
		s.PsiGamma, err = strconv.ParseFloat(value, 64)
	case "feature_scale":
		s.FeatureScale = FeatureScale(value)
		if value == noScale {
			s.FeatureScale = Unscaled
		}
	case "lifetime":
		s.Options, err = parseLifetime(value)
	case "option_probability":
		s.OptionProbability, err = strconv.ParseFloat(value, 64)
	case "initiation":
		s.Initiation = Start(value)
		if value == anyStart {
			s.Initiation = StartAnywhere
		}
	case "sides":
		s.Sides = Sides(value)
		if value == bothSides {
			s.Sides = TwoSided
		}
	case "leave_out":
		s.LeaveOut, err = parseOptions(value)
	case "learner":
		s.setBuiltinStage(LearnerStage, value)
	case "numerics":
		s.Numerics, err = strconv.ParseUint(textfmt.PlainInteger(value), 10, 64)
	case "reading":
		return s.SetReading(value)
	case "data":
		return Advise(fmt.Errorf("%w: data cannot be set", ErrSpec),
			AdviceImportData)
	default:
		err = s.setParameter(name, value)
		if errors.Is(err, ErrSpec) {
			return err
		}
	}
	if err != nil {
		return invalid(name, value, "give a %s", describeValue(name))
	}
	return nil
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
		err = Advise(fmt.Errorf("%w: no field %q", ErrSpec, name), AdviceChoose, Choice{name, "fields", s.Settable()})
	}
	return err
}

func describeValue(name string) string {
	switch name {
	case "lifetime":
		return lifetimeForms
	case "leave_out":
		return "list of option numbers such as 3+17, or " + noOptions
	}
	switch t, _ := TypeOfField(name); t.Kind {
	case Number:
		return "number such as 0.99"
	case Natural:
		return "whole number from 0 to 18446744073709551615"
	}
	return "whole number"
}
