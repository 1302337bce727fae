package pod

import "github.com/podtrack/podtrack/schema"

// NewOptionLearner returns the learner of a spec's runs in env. Learners that know the
// model need no experience; it returns [ErrModel] if env has none for them.
func NewOptionLearner(env Env, spec schema.Spec, seen Experience) (OptionLearner, error) {
	l, err := learners.Find(string(spec.Learner))
	if err != nil {
		return nil, err
	}
	return l.build(env, spec, seen)
}

// CheckLearner returns an error if the spec's learner cannot learn in env.
func CheckLearner(env Env, spec schema.Spec) error {
	if !HasActions(env) {
		return nil // there are no options to learn
	}
	l, err := learners.Find(string(spec.Learner))
	switch {
	case err != nil:
		return nil // which [schema.Spec.Validate] reports
	case !spec.UsesExperience() && !HasModel(env):
		return newLearnerError(spec, "whose model is not known", AdviceObservingLearner, schema.Empirical)
	case l.check != nil:
		return l.check(env, spec)
	}
	return nil
}

// KeepForLearner makes t keep what the spec's learner needs. It must be called before the
// first chunk.
func (t *TransitionStats) KeepForLearner(spec schema.Spec) {
	if spec.UsesExperience() {
		t.KeepTransitions()
	}
	if l, err := learners.Find(string(spec.Learner)); err == nil && l.needsFirstChunk {
		t.keepFirstChunk()
	}
}

// EstimateLearningMemory returns the least memory that the learner of [NewOptionLearner] takes for what was
// seen, in bytes, beside what [EstimateMemory] counts.
func EstimateLearningMemory(env Env, spec schema.Spec, seen Experience) int64 {
	if l, err := learners.Find(string(spec.Learner)); err == nil && l.seen != nil {
		return l.seen(env, seen.Transitions)
	}
	return 0
}

// CountUnknowns returns how many weights or values the spec's learner determines for an option, at most: a value for
// each state that is known, or weights, which are dependent if there are more than states for each action.
func CountUnknowns(env Env, spec schema.Spec) int {
	if !spec.IsLinear() {
		return env.States()
	}
	return min(countWeights(env), len(env.Actions())*env.States())
}
