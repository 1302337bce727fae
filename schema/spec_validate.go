package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// DefaultMaxOptionSteps is the number of steps after which a call of an option is
// truncated if its learner does not prove termination, unless a spec says otherwise.
const DefaultMaxOptionSteps = 1000

// Validate returns [ErrSpec] if no run can have this spec; it does not check the
// environment's parameters. It brings the spec into its canonical form: no negative zero,
// no sweeps if the learner does none, no κ if the rule does not use it, and a limit on
// option steps if one is needed.
func (s *Spec) Validate() error {
	s.Kappa, s.Gamma, s.Tolerance = s.Kappa+0, s.Gamma+0, s.Tolerance+0 // −0 + 0 = 0
	s.OptionProbability += 0
	if s.Method == POD {
		s.Method = ""
	}
	rule, unreadable := s.Select.ParseRule()
	if unreadable == nil {
		s.Select = rule.Canonical()
	}
	if unreadable == nil && !rule.UsesKappa() {
		s.Kappa = 0
	}
	if err := CheckNumerics(s.Numerics); err != nil {
		return err
	}
	switch {
	case s.Steps < 1 || s.Steps > MaxSteps:
		return invalid("steps", strconv.FormatInt(s.Steps, 10), "use 1 to %d steps an iteration; the paper's is 1000",
			int64(MaxSteps))
	case !(s.Kappa >= 0) || math.IsInf(s.Kappa, 0):
		return invalid("kappa", formatFloat(s.Kappa), "use a finite number of at least 0; the paper's is 1")
	case !(s.Gamma >= 0 && s.Gamma < 1):
		return invalid("gamma", formatFloat(s.Gamma), "use a number from 0 to under 1; the paper's is 0.99")
	case s.Gamma > maxGamma:
		return invalid("gamma", formatFloat(s.Gamma), "use a number up to %v", maxGamma)
	case !(s.Tolerance >= 0) || math.IsInf(s.Tolerance, 0):
		return invalid("tolerance", formatFloat(s.Tolerance), "use a finite number of at least 0; the default is 1e-09")
	case !slices.Contains(bases(), string(s.Basis)):
		return invalid("basis", string(s.Basis), "use %s", textfmt.Alternatives(bases()))
	case s.Dataset != PerIteration && s.Dataset != Cumulative:
		return invalid("dataset", string(s.Dataset), "use %s or %s", PerIteration, Cumulative)
	case !(s.OptionProbability >= 0 && s.OptionProbability <= 1):
		return invalid("option_probability", formatFloat(s.OptionProbability),
			"use a probability up to 1, or 0 to draw from actions and options alike; the ROD cycle's is 0.05")
	case unreadable != nil:
		return unreadable
	}
	if err := s.validateStages(); err != nil {
		return err
	}
	if err := s.validateMethod(); err != nil {
		return err
	}
	if err := s.validateFeatureScale(); err != nil {
		return err
	}
	if err := s.validateInitiation(); err != nil {
		return err
	}
	if err := s.validateLifetime(); err != nil {
		return err
	}
	if err := s.validateSides(); err != nil {
		return err
	}
	if err := s.validateLeaveOut(); err != nil {
		return err
	}
	return s.validateLearner()
}

// validateLearner does the part of [Spec.Validate] that concerns the learner.
func (s *Spec) validateLearner() error {
	if !s.Learner.UsesSweeps() {
		s.Sweeps = 0
	}
	if s.UsesExperience() && s.MaxOptionSteps == 0 {
		s.MaxOptionSteps = DefaultMaxOptionSteps
	}
	if _, err := Learners.Find(string(s.Learner)); err != nil {
		return err
	}
	switch steps := strconv.FormatInt(s.MaxOptionSteps, 10); {
	case s.Learner.UsesSweeps() && (s.Sweeps < 1 || s.Sweeps > MaxSweeps):
		return invalid("sweeps", strconv.FormatInt(s.Sweeps, 10), "use 1 to %d sweeps; the paper's is 100",
			int64(MaxSweeps))
	case !s.UsesExperience() && s.Stages.Of(LearnerStage) == nil && s.MaxOptionSteps != 0:
		return invalid("max_option_steps", steps, "use 0: with learner %s every option is proved to end", s.Learner)
	case s.MaxOptionSteps < 0 || s.MaxOptionSteps > MaxSteps:
		return invalid("max_option_steps", steps, "use 1 to %d steps; the default is %d", int64(MaxSteps),
			DefaultMaxOptionSteps)
	}
	return nil
}

// invalid returns [ErrSpec] for the value of a field, with a hint.
func invalid(name, value, hint string, args ...any) error {
	return Hint(fmt.Errorf("%w: %s %q", ErrSpec, name, value), hint, args...)
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
