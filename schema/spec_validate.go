package schema

import (
	"fmt"
	"math"
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
	s.omitDefaults()
	if !s.Learner.UsesSweeps() {
		s.Sweeps = 0
	}
	if s.UsesExperience() && s.MaxOptionSteps == 0 {
		s.MaxOptionSteps = DefaultMaxOptionSteps
	}
}

// omitDefaults leaves optional fields out that have their defaults.
func (s *Spec) omitDefaults() {
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

func (s *Spec) checkSteps() error {
	if s.Steps < 1 || s.Steps > MaxSteps {
		return Invalid("steps", strconv.FormatInt(s.Steps, 10), "use 1 to %d steps an iteration; the paper's is 1000",
			int64(MaxSteps))
	}
	return nil
}

func (s *Spec) checkKappa() error {
	if !(s.Kappa >= 0) || math.IsInf(s.Kappa, 0) {
		return Invalid("kappa", formatFloat(s.Kappa), "use a finite number of at least 0; the paper's is 1")
	}
	return nil
}

func (s *Spec) checkGamma() error {
	switch {
	case !(s.Gamma >= 0 && s.Gamma < 1):
		return Invalid("gamma", formatFloat(s.Gamma), "use a number from 0 to under 1; the paper's is 0.99")
	case s.Gamma > maxGamma:
		return Invalid("gamma", formatFloat(s.Gamma), "use a number up to %v", maxGamma)
	}
	return nil
}

func (s *Spec) checkTolerance() error {
	if !(s.Tolerance >= 0) || math.IsInf(s.Tolerance, 0) {
		return Invalid("tolerance", formatFloat(s.Tolerance), "use a finite number of at least 0; the default is 1e-09")
	}
	return nil
}

func (s *Spec) checkOptionProbability() error {
	if !(s.OptionProbability >= 0 && s.OptionProbability <= 1) {
		return Invalid("option_probability", formatFloat(s.OptionProbability),
			"use a probability up to 1, or 0 to draw from actions and options alike; the ROD cycle's is 0.05")
	}
	return nil
}

func (s *Spec) checkSweeps() error {
	if s.Learner.UsesSweeps() && (s.Sweeps < 1 || s.Sweeps > MaxSweeps) {
		return Invalid("sweeps", strconv.FormatInt(s.Sweeps, 10), "use 1 to %d sweeps; the paper's is 100",
			int64(MaxSweeps))
	}
	return nil
}

func (s *Spec) checkMaxOptionSteps() error {
	switch steps := strconv.FormatInt(s.MaxOptionSteps, 10); {
	case !s.UsesExperience() && s.Stages.Of(LearnerStage) == nil && s.MaxOptionSteps != 0:
		return Invalid("max_option_steps", steps, "use 0: with learner %s every option is proved to end", s.Learner)
	case s.MaxOptionSteps < 0 || s.MaxOptionSteps > MaxSteps:
		return Invalid("max_option_steps", steps, "use 1 to %d steps; the default is %d", int64(MaxSteps),
			DefaultMaxOptionSteps)
	}
	return nil
}

// Invalid returns [ErrSpec] for the value of a field, with a hint.
func Invalid(name, value, hint string, args ...any) error {
	return Hint(fmt.Errorf("%w: %s %q", ErrSpec, name, value), hint, args...)
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
