package schema

import (
	"slices"
	"strconv"
)

// allLearners are the learners of this program.
var allLearners = []Learner{Sweeps, Exact, Empirical, LSPI, QLearning}

// DefaultMaxOptionSteps is the number of steps after which a call of an option is
// truncated if its learner does not prove termination, unless a spec says otherwise.
const DefaultMaxOptionSteps = 1000

// UsesExperience reports whether a learner knows only what was observed, and not the
// model.
func (l Learner) UsesExperience() bool { return l == Empirical || l.IsLinear() }

// IsLinear reports whether a learner learns the weights of features.
func (l Learner) IsLinear() bool { return l == LSPI || l == QLearning }

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
	return s.Dataset == Cumulative && (s.Learner == Empirical || s.Learner == LSPI)
}

// validateLearner does the part of [Spec.Validate] that concerns the learner.
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
