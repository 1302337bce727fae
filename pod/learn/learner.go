package learn

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
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

// valueOf returns the value table in l, or an error unless it has the given number of
// states.
func valueOf(l schema.ValueFunction, states int) (schema.Value, error) {
	v, ok := l.(schema.Value)
	if !ok || len(v) != states {
		return nil, fmt.Errorf("%w: got a %s record, want values of %d states", wire.ErrMalformed, l.Kind(),
			states)
	}
	return v, nil
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

// learners are all learners. Each is registered by the init function of its file.
var learners = schema.NewRegistry[LearnerEntry]("learner")

func RegisterLearner(l schema.Learner, e LearnerEntry) { learners.Register(string(l), e) }

// NewOptionLearner returns the learner of a spec's runs in env. Learners that know the
// model need no experience; it returns [envs.ErrModel] if env has none for them.
func NewOptionLearner(env envs.Env, spec schema.Spec, seen Experience) (OptionLearner, error) {
	l, err := learners.Find(string(spec.Learner))
	if err != nil {
		return nil, err
	}
	return l.Build(env, spec, seen)
}

// CheckLearner returns an error if the spec's learner cannot learn in env.
func CheckLearner(env envs.Env, spec schema.Spec) error {
	if !envs.HasActions(env) {
		return nil // there are no options to learn
	}
	l, err := learners.Find(string(spec.Learner))
	switch {
	case err != nil:
		return nil // which [schema.Spec.Validate] reports
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
	if l, err := learners.Find(string(spec.Learner)); err == nil && l.needsFirstChunk {
		t.KeepFirstChunk()
	}
}

// EstimateLearnerTables returns the memory of the spec's learner that does not depend on its experience, in bytes.
func EstimateLearnerTables(spec schema.Spec, states, actions, dims int64) int64 {
	if l, err := learners.Find(string(spec.Learner)); err == nil && l.Memory != nil {
		return l.Memory(states, actions, dims)
	}
	return 0
}

// EstimateLearningMemory returns the least memory that the learner of [NewOptionLearner] takes for its experience, in
// bytes, in addition to [pod.EstimateMemory].
func EstimateLearningMemory(env envs.Env, spec schema.Spec, seen Experience) int64 {
	if l, err := learners.Find(string(spec.Learner)); err == nil && l.seen != nil {
		return l.seen(env, seen.Transitions)
	}
	return 0
}
