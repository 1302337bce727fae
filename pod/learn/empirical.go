package learn

import (
	"context"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// empirical is value iteration on the model of the observed transitions. A state that was never left has value 0 and is
// not in I.
type empirical struct {
	*observingLearner
	sw *sweeper
}

func NewEmpirical(env envs.Env, spec schema.Spec, seen Experience) (OptionLearner, error) {
	x := newExperience(env, spec, seen.Transitions)
	return &empirical{x, newSweeper(x.model, spec.Gamma)}, nil
}

// Learn implements [OptionLearner].
func (e *empirical) Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.ValueFunction, error) {
	tolerance := e.prepare(p)
	e.sw.setRewards()
	if err := e.sw.runExpected(ctx, e.spec.Sweeps); err != nil {
		return nil, nil, err
	}
	return e.conclude(p, tolerance), schema.Value(e.sw.values()), nil
}

// Conclude implements [OptionLearner].
func (e *empirical) Conclude(p schema.Purpose, l schema.ValueFunction) (*schema.Option, error) {
	v, err := valueOf(l, e.states)
	if err != nil {
		return nil, err
	}
	tolerance := e.prepare(p)
	e.sw.loadValues(v)
	return e.conclude(p, tolerance), nil
}

func (e *empirical) prepare(p schema.Purpose) (tolerance float64) {
	tolerance = e.setPurpose(p)
	copy(e.sw.potential(), e.w)
	return tolerance
}

func (e *empirical) conclude(p schema.Purpose, tolerance float64) *schema.Option {
	return e.newOption(p, e.sw.expectedPolicy(tolerance, tolerance), tolerance, func(s int) []float64 {
		q := make([]float64, e.model.Actions)
		e.sw.q(s, q)
		return q
	})
}
