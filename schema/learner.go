package schema

// A Learner is a way to learn an eigenbehaviour, one of [Learners].
type Learner string

// The learners. [Learners] has what each means for a spec and its records; a package below pod computes it.
const (
	Sweeps    Learner = "sweeps"     // synchronous value iteration from 0
	Exact     Learner = "exact"      // the fixed point of the sweeps, by label setting on a deterministic model
	Empirical Learner = "empirical"  // sweeps on the model estimated from the observed transitions
	LSPI      Learner = "lspi"       // least-squares policy iteration on observed transitions
	QLearning Learner = "q-learning" // on the recorded stream of transitions
)

// A learnerEntry describes what a learner means for a spec and its records.
type learnerEntry struct {
	Usage          string // one line for help, "" for external
	usesExperience bool
	accumulates    bool // with a cumulative D, from the observations of all iterations so far
	isLinear       bool
	estimatesModel bool
	hasNoSweeps    bool
}

// Learners are the learners that specs can name, in the order in which help lists them.
var Learners = NewRegistry("learner",
	Named(Sweeps, learnerEntry{Usage: "value iteration on the model"}),
	Named(Exact, learnerEntry{Usage: "its fixed point", hasNoSweeps: true}),
	Named(Empirical, learnerEntry{
		Usage: "sweeps on the model that the observed transitions make", usesExperience: true, accumulates: true,
		estimatesModel: true,
	}),
	Named(LSPI, learnerEntry{
		Usage: "least-squares policy iteration, linear in the features", usesExperience: true, accumulates: true,
		isLinear: true,
	}),
	Named(QLearning, learnerEntry{
		Usage: "along the recorded steps, linear in the features", usesExperience: true, isLinear: true,
	}),
	Named(ExternalLearner, learnerEntry{}))

// UsesExperience reports whether the spec's learner learns from observations, without the environment's model.
func (s Spec) UsesExperience() bool { return s.learnerEntry().usesExperience }

// EstimatesModel reports whether the spec's learner computes values on a model that it estimates from observations.
func (s Spec) EstimatesModel() bool { return s.learnerEntry().estimatesModel }

// UsesSweeps reports whether a learner uses the spec's number of sweeps.
func (l Learner) UsesSweeps() bool { return !l.entry().hasNoSweeps }

// IsLinear reports whether the spec's learner learns the weights of features.
func (s Spec) IsLinear() bool { return s.learnerEntry().isLinear }

// entry returns the registered entry of l, or the zero value.
func (l Learner) entry() learnerEntry {
	e, _, _ := Learners.Newest(string(l))
	return e
}

// learnerEntry returns the entry of the spec's learner. That of an external one follows from its declaration.
func (s Spec) learnerEntry() learnerEntry {
	p := s.Stages.Of(LearnerStage)
	if p == nil {
		return s.Learner.entry()
	}
	observes, linear := p.Model == OnObservedModel, p.Learns == LearnsWeights
	return learnerEntry{
		usesExperience: observes, accumulates: observes, isLinear: linear, estimatesModel: observes && !linear,
	}
}

// LearnedKind returns the kind of record that the spec's learner makes in addition to an option.
func (s Spec) LearnedKind() Kind {
	if s.IsLinear() {
		return KindTheta
	}
	return KindValue
}

// AccumulatesTransitions reports whether later iterations need the transitions of all earlier ones, for their
// learner or for an external method.
func (s Spec) AccumulatesTransitions() bool {
	return s.AccumulatesExperience() || s.Dataset == Cumulative && s.MethodSeesTransitions()
}

// MethodSeesTransitions reports whether the spec's method is external and is given the observed transitions.
func (s Spec) MethodSeesTransitions() bool {
	p := s.Stages.Of(MethodStage)
	return p != nil && p.Input == InputTransitions
}

// AccumulatesExperience reports whether options are learned from the observations of all
// iterations so far, rather than of the last one alone.
func (s Spec) AccumulatesExperience() bool {
	return s.Dataset == Cumulative && s.learnerEntry().accumulates
}

// Numbers of calls of an option for which [AutoOptionSteps] leaves room.
const (
	callsPerIteration = 20
	callsPerEpisode   = 5
)

// AutoOptionSteps returns a limit on the steps of a call of options that are not known to terminate, so that an
// iteration of the given number of steps has room for 20 calls, and an episode for 5. episode is the largest number of
// steps of an episode, 0 if it is not known. The limit is from 2 to [DefaultMaxOptionSteps].
func AutoOptionSteps(steps, episode int64) int64 {
	n := steps / callsPerIteration
	if episode > 0 {
		n = min(n, episode/callsPerEpisode)
	}
	return min(max(n, 2), DefaultMaxOptionSteps)
}
