package learn

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// StateValues returns v of an option: its own value table, or max(0, max_a q) of the
// states that its policy covers.
func StateValues(env envs.Env, o *schema.Option, l schema.ValueFunction) schema.Value {
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
func ActionValues(env envs.ModelEnv, vector []float64, l schema.ValueFunction, gamma float64) []float64 {
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

// WithObservedModel returns env with the model of the observed transitions in place of its own.
func WithObservedModel(env envs.Env, transitions envs.TransitionCounts) envs.ModelEnv {
	return observedEnv{env, newExperience(env, schema.Spec{}, transitions).model}
}

type observedEnv struct {
	envs.Env
	model *envs.Model
}

// Model implements [envs.ModelEnv].
func (o observedEnv) Model() *envs.Model { return o.model }

// Deterministic implements [envs.ModelEnv].
func (o observedEnv) Deterministic() bool { return o.model.Deterministic() }
