package pod

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// An OptionLearner learns options for purposes, by any of the learners, one after the
// other in the same memory.
type OptionLearner interface {
	// Learn returns the option for a purpose and what its policy was taken from, which
	// is valid until the next call.
	Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.ValueFunction, error)
	// Conclude returns the option that follows from a purpose and what was learned for it.
	Conclude(p schema.Purpose, l schema.ValueFunction) (*schema.Option, error)
}

// NewOptionLearner returns the learner of a spec's runs in env. Learners that know the
// model need no experience; it returns [ErrModel] if env has none for them.
func NewOptionLearner(env Env, spec schema.Spec, seen Experience) (OptionLearner, error) {
	l, err := learners.Lookup(string(spec.Learner), spec.Numerics)
	if err != nil {
		return nil, err
	}
	return l.build(env, spec, seen)
}

func buildModelLearner(env Env, spec schema.Spec, _ Experience) (OptionLearner, error) {
	m, ok := As[ModelEnv](env)
	if !ok {
		return nil, fmt.Errorf("%w: there is none for learner %s", ErrModel, spec.Learner)
	}
	return modelOptionLearner{NewModelLearner(m, spec)}, nil
}

// modelOptionLearner adapts a [ModelLearner] to [OptionLearner].
type modelOptionLearner struct{ l *ModelLearner }

func (m modelOptionLearner) Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.ValueFunction, error) {
	o, v, err := m.l.Learn(ctx, p)
	return o, v, err
}

func (m modelOptionLearner) Conclude(p schema.Purpose, l schema.ValueFunction) (*schema.Option, error) {
	v, err := valueOf(l, m.l.sw.model.States)
	if err != nil {
		return nil, err
	}
	return m.l.Conclude(p, v)
}

// StateValues returns v of an option: its own value table, or max(0, max_a q) of the
// states that its policy covers.
func StateValues(env Env, o *schema.Option, l schema.ValueFunction) schema.Value {
	theta, linear := l.(schema.Theta)
	if !linear {
		return l.(schema.Value)
	}
	v, actions := make(schema.Value, env.States()), len(env.Actions())
	for i, q := range linearQ(env, theta) {
		v[i/actions] = max(v[i/actions], q)
	}
	return v[:min(len(v), len(o.Policy))]
}

// ActionValues returns q for all states and actions, S×A, row-major: the q of linear
// weights, or one more backup of a value table by env's model. For a model that was
// observed, see [WithObservedModel].
func ActionValues(env ModelEnv, vector []float64, l schema.ValueFunction, gamma float64) []float64 {
	theta, linear := l.(schema.Theta)
	if linear {
		return linearQ(env, theta)
	}
	m := env.Model()
	sw, w := newSweeper(m, gamma), make([]float64, env.States())
	env.Potential(vector, w)
	copy(sw.potential(), w)
	sw.loadValues(l.(schema.Value))
	q := make([]float64, m.States*m.Actions)
	for s := range m.States {
		sw.q(s, q[s*m.Actions:(s+1)*m.Actions])
	}
	return q
}

// WithObservedModel returns env with the model that the observed transitions make in place
// of its own.
func WithObservedModel(env Env, transitions TransitionCounts) ModelEnv {
	return observedEnv{env, newExperience(env, schema.Spec{}, transitions).model}
}

type observedEnv struct {
	Env
	model *Model
}

// Model implements [ModelEnv].
func (o observedEnv) Model() *Model { return o.model }

// Deterministic implements [ModelEnv].
func (o observedEnv) Deterministic() bool { return o.model.Deterministic() }
