package schema

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
