package schema

import (
	"fmt"
	"strconv"
)

// DefaultMaxOptionSteps is the number of steps after which a call of an option is
// truncated if its learner does not prove termination, unless a spec says otherwise.
const DefaultMaxOptionSteps = 1000

// Normalize brings the spec into its canonical form, and checks nothing: no negative zero, the shortest text of each
// choice, no sweeps if the learner does none, no κ if the rule does not use it, and a limit on option steps if one is
// needed. Two specs of the same run are equal in this form.
func (s *Spec) Normalize() {
	for _, x := range []*float64{&s.Kappa, &s.Gamma, &s.Tolerance, &s.OptionProbability, &s.PsiGamma, &s.Ridge} {
		*x += 0 // −0 + 0 = 0
	}
	if rule, err := s.Select.ParseRule(); err == nil {
		if s.Select = rule.Canonical(); !rule.UsesKappa() {
			s.Kappa = 0
		}
	}
	if l, err := parseLifetime(string(s.Options)); err == nil {
		s.Options = l
	}
	if b, _, err := parseBehaviour(string(s.Behaviour)); err == nil {
		s.Behaviour = b
	}
	// Optional fields that have their defaults are left out.
	if s.Stages != nil && *s.Stages == (Stages{}) {
		s.Stages = nil
	}
	if s.PsiGamma == s.Gamma {
		s.PsiGamma = 0
	}
	if s.PsiPasses == 1 {
		s.PsiPasses = 0
	}
	if s.Ridge == DefaultRidge {
		s.Ridge = 0
	}
	if len(s.LeaveOut) == 0 {
		s.LeaveOut = nil
	}
	for i := range fields {
		if f := &fields[i]; f.isOptional && f.holds.Kind == Word && f.text(*s) == "" {
			_ = f.set(s, f.usual) // its own default
		}
	}
	if !s.Learner.UsesSweeps() {
		s.Sweeps = 0
	}
	if s.UsesExperience() && s.MaxOptionSteps == 0 {
		s.MaxOptionSteps = DefaultMaxOptionSteps
	}
}

// Validate normalizes the spec, and returns [ErrSpec] if no run can have it; it does not check the environment's
// parameters.
func (s *Spec) Validate() error {
	s.Normalize()
	if err := CheckNumerics(s.Numerics); err != nil {
		return err
	}
	for i := range fields {
		f := &fields[i]
		if err := f.checkWord(s); err != nil {
			return err
		}
		if f.check == nil {
			continue
		}
		if err := f.check(s); err != nil {
			return err
		}
	}
	return s.checkStages()
}

// Invalid returns [ErrSpec] for the value of a field, with a hint.
func Invalid(name, value, hint string, args ...any) error {
	return Hint(fmt.Errorf("%w: %s %q", ErrSpec, name, value), hint, args...)
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
