package schema

// UsesExperience reports whether the spec's learner knows only what was observed, and not the
// model.
func (s Spec) UsesExperience() bool { return s.learnerEntry().usesExperience }

// EstimatesModel reports whether the spec's learner takes values on the model that it estimates from
// what was observed.
func (s Spec) EstimatesModel() bool { return s.learnerEntry().estimatesModel }

// UsesSweeps reports whether a learner uses the spec's number of sweeps.
func (l Learner) UsesSweeps() bool { return !l.entry().hasNoSweeps }

// IsLinear reports whether the spec's learner learns the weights of features.
func (s Spec) IsLinear() bool { return s.learnerEntry().isLinear }

// entry returns what is registered of l, the zero value if nothing is.
func (l Learner) entry() LearnerEntry {
	e, _, _ := Learners.Newest(string(l))
	return e
}

// learnerEntry returns what is registered of the spec's learner, or what an external one declares.
func (s Spec) learnerEntry() LearnerEntry {
	p := s.Stages.Of(LearnerStage)
	if p == nil {
		return s.Learner.entry()
	}
	observes, linear := p.Model == OnObservedModel, p.Learns == LearnsWeights
	return LearnerEntry{
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
