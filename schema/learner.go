package schema

import "strconv"

// DefaultMaxOptionSteps is the number of steps after which a call of an option is
// truncated if its learner does not prove termination, unless a spec says otherwise.
const DefaultMaxOptionSteps = 1000

// UsesExperience reports whether a learner knows only what was observed, and not the
// model.
func (l Learner) UsesExperience() bool { return l.entry().usesExperience }

// EstimatesModel reports whether a learner takes values on the model that it estimates from
// what was observed.
func (l Learner) EstimatesModel() bool { return l.entry().estimatesModel }

// UsesSweeps reports whether a learner uses the spec's number of sweeps.
func (l Learner) UsesSweeps() bool { return !l.entry().hasNoSweeps }

// IsLinear reports whether a learner learns the weights of features.
func (l Learner) IsLinear() bool { return l.entry().isLinear }

// entry returns what is registered of l, the zero value if nothing is.
func (l Learner) entry() LearnerEntry {
	e, _, _ := Learners.Newest(string(l))
	return e
}

// RecordKind returns the kind of record that a learner makes in addition to an option.
func (l Learner) RecordKind() Kind {
	if l.IsLinear() {
		return KindTheta
	}
	return KindValue
}

// AccumulatesExperience reports whether options are learned from the observations of all
// iterations so far, rather than of the last one alone.
func (s Spec) AccumulatesExperience() bool {
	return s.Dataset == Cumulative && s.Learner.entry().accumulates
}

// validateLearner does the part of [Spec.Validate] that concerns the learner.
func (s *Spec) validateLearner() error {
	if !s.Learner.UsesSweeps() {
		s.Sweeps = 0
	}
	if s.Learner.UsesExperience() && s.MaxOptionSteps == 0 {
		s.MaxOptionSteps = DefaultMaxOptionSteps
	}
	if _, err := Learners.Lookup(string(s.Learner), s.Numerics); err != nil {
		return err
	}
	switch steps := strconv.FormatInt(s.MaxOptionSteps, 10); {
	case s.Learner.UsesSweeps() && (s.Sweeps < 1 || s.Sweeps > MaxSweeps):
		return invalid("sweeps", strconv.FormatInt(s.Sweeps, 10), "use 1 to %d sweeps; the paper's is 100",
			int64(MaxSweeps))
	case !s.Learner.UsesExperience() && s.MaxOptionSteps != 0:
		return invalid("max_option_steps", steps, "use 0: with learner %s every option is proved to end", s.Learner)
	case s.MaxOptionSteps < 0 || s.MaxOptionSteps > MaxSteps:
		return invalid("max_option_steps", steps, "use 1 to %d steps; the default is %d", int64(MaxSteps),
			DefaultMaxOptionSteps)
	}
	return nil
}
