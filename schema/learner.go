package schema

import (
	"slices"
	"strconv"
)

// allLearners are all of them.
var allLearners = []Learner{Sweeps, Exact, Empirical, LSPI, QLearning}

// DefaultMaxOptionSteps is where a call of an option is cut whose learner proves
// no end, unless a spec says otherwise.
const DefaultMaxOptionSteps = 1000

// UsesExperience says that a learner knows no model, but what was observed.
func (l Learner) UsesExperience() bool { return l == Empirical || l.IsLinear() }

// IsLinear says that a learner learns the weights of features.
func (l Learner) IsLinear() bool { return l == LSPI || l == QLearning }

// RecordKind is the kind of record that a learner makes beside an option.
func (l Learner) RecordKind() Kind {
	if l.IsLinear() {
		return KindTheta
	}
	return KindValue
}

// AccumulatesExperience says that options are learned from what all iterations so far observed,
// not the last one alone.
func (s Spec) AccumulatesExperience() bool {
	return s.Dataset == Cumulative && (s.Learner == Empirical || s.Learner == LSPI)
}

// validateLearner is the part of [Spec.Validate] that is about the learner.
func (s *Spec) validateLearner() error {
	if s.Learner == Exact {
		s.Sweeps = 0
	}
	if s.Learner.UsesExperience() && s.MaxOptionSteps == 0 {
		s.MaxOptionSteps = DefaultMaxOptionSteps
	}
	switch steps := strconv.FormatInt(s.MaxOptionSteps, 10); {
	case !slices.Contains(allLearners, s.Learner):
		return invalid("learner", string(s.Learner), "use one of %v", allLearners)
	case s.Learner != Exact && (s.Sweeps < 1 || s.Sweeps > MaxSweeps):
		return invalid("sweeps", strconv.FormatInt(s.Sweeps, 10), "use 1 to %d sweeps; the paper's is 100", int64(MaxSweeps))
	case !s.Learner.UsesExperience() && s.MaxOptionSteps != 0:
		return invalid("max_option_steps", steps, "use 0: with learner %s every option is proved to end", s.Learner)
	case s.MaxOptionSteps < 0 || s.MaxOptionSteps > MaxSteps:
		return invalid("max_option_steps", steps, "use 1 to %d steps; the default is %d", int64(MaxSteps), DefaultMaxOptionSteps)
	}
	return nil
}
