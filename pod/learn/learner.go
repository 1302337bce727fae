package learn

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// Advice of the errors of learners.
const (
	AdviceObservingLearner = "use a learner that learns from what was observed, such as %s"
	AdviceExpectingLearner = "use a learner that takes expectations, such as %s"
	AdviceFewerWeights     = "learn %d weights at most, or use a learner without weights, such as %s"
	AdviceScaleFeatures    = "scale the features, or use a learner without weights, such as %s"
	AdviceSolvable         = "use a learner that solves no linear system, such as %s or %s, or another gamma"
)

// An OptionLearner learns options for purposes, by any of the learners, one after the
// other in the same memory.
type OptionLearner interface {
	// Learn returns the option for a purpose and the values or weights behind its policy, which
	// are valid until the next call.
	Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.ValueFunction, error)
	// Conclude returns the option that follows from a purpose and its values or weights.
	Conclude(p schema.Purpose, l schema.ValueFunction) (*schema.Option, error)
}

// newLearnerError returns the error of a learner that does not support the environment.
func newLearnerError(spec schema.Spec, why, advice string, values ...any) error {
	return schema.Hint(fmt.Errorf("%w: learner %s in environment %q, %s", schema.ErrSpec, spec.Learner,
		spec.Env.Name, why), advice, values...)
}

// LearnerEntry is the implementation of a learner that package schema has registered under the same name.
type LearnerEntry struct {
	Build func(env envs.Env, spec schema.Spec, seen Experience) (OptionLearner, error)

	// Check returns an error if the learner, whose model is known if it needs one, cannot
	// learn in env; nil if it always can.
	Check func(env envs.Env, spec schema.Spec) error

	Memory          func(states, actions, dims int64) int64 // in bytes, beside the tables of states; nil for none
	needsFirstChunk bool

	// seen returns the memory for its experience, in bytes; nil for none.
	seen func(env envs.Env, transitions envs.TransitionCounts) int64
}

// learners are all learners but the external one, which package pod adds.
var learners = map[schema.Learner]LearnerEntry{
	schema.Sweeps: {Build: BuildModelLearner},
	schema.Exact: {Build: BuildModelLearner, Check: checkDeterministic,
		Memory: func(states, _, _ int64) int64 { return states * labelsBytes }},
	schema.Empirical: {Build: NewEmpirical},
	schema.LSPI:      {Build: newLSPI, Check: CheckWeights, Memory: lspiBytes, seen: estimateLSPIMemory},
	schema.QLearning: {Build: newQLearning, Check: CheckWeights, needsFirstChunk: true, seen: estimateTermMemory},
}

// RegisterLearner adds a learner.
func RegisterLearner(l schema.Learner, e LearnerEntry) { learners[l] = e }

// NewOptionLearner returns the learner of a spec's runs in env. Learners that know the
// model need no experience; it returns [envs.ErrModel] if env has none for them.
func NewOptionLearner(env envs.Env, spec schema.Spec, seen Experience) (OptionLearner, error) {
	if l, known := learners[spec.Learner]; known {
		return l.Build(env, spec, seen)
	}
	return nil, fmt.Errorf("%w: unknown learner %q", schema.ErrSpec, spec.Learner)
}

// CheckLearner returns an error if the spec's learner cannot learn in env.
func CheckLearner(env envs.Env, spec schema.Spec) error {
	l, known := learners[spec.Learner]
	switch {
	case !envs.HasActions(env): // there are no options to learn
	case !known: // which [schema.Spec.Validate] reports
	case !spec.UsesExperience() && !envs.HasModel(env):
		return newLearnerError(spec, "whose model is not known", AdviceObservingLearner, schema.Empirical)
	case l.Check != nil:
		return l.Check(env, spec)
	}
	return nil
}

// KeepForLearner makes t keep what the spec's learner needs. It must be called before the
// first chunk.
func KeepForLearner(t *collect.TransitionStats, spec schema.Spec) {
	if spec.UsesExperience() {
		t.KeepTransitions()
	}
	if learners[spec.Learner].needsFirstChunk {
		t.KeepFirstChunk()
	}
}

// EstimateLearnerTables returns the memory of the spec's learner that does not depend on its experience, in bytes.
func EstimateLearnerTables(spec schema.Spec, states, actions, dims int64) int64 {
	if memory := learners[spec.Learner].Memory; memory != nil {
		return memory(states, actions, dims)
	}
	return 0
}

// EstimateLearningMemory returns the least memory that the learner of [NewOptionLearner] takes for its experience, in
// bytes, in addition to [pod.EstimateMemory].
func EstimateLearningMemory(env envs.Env, spec schema.Spec, seen Experience) int64 {
	if memory := learners[spec.Learner].seen; memory != nil {
		return memory(env, seen.Transitions)
	}
	return 0
}
