package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// ErrNoTermination reports that an option failed its certificate.
var ErrNoTermination = errors.New("option does not terminate")

// A ModelLearner learns options for purposes from the model, one after the other in the
// same memory.
type ModelLearner struct {
	env      envs.Env
	spec     schema.Spec
	sw       *sweeper
	observed *observingLearner // of a model that the observed transitions make, nil if the model is known
}

// NewModelLearner returns a learner for the purposes of a spec's runs in env.
func NewModelLearner(env envs.ModelEnv, spec schema.Spec) *ModelLearner {
	return &ModelLearner{env: env, spec: spec, sw: newSweeper(env.Model(), spec.Gamma)}
}

// NewEmpirical returns a learner that learns on the model of the observed transitions. A state that was never left has
// value 0 and is not in I.
func NewEmpirical(env envs.Env, spec schema.Spec, seen Experience) (OptionLearner, error) {
	x := newExperience(env, spec, seen.Transitions)
	return &ModelLearner{env: env, spec: spec, sw: newSweeper(x.model, spec.Gamma), observed: x}, nil
}

// Learn implements [OptionLearner]. The value table v is the result of spec.Sweeps sweeps, or their fixed point. The
// policy, with ⊥, and I follow from q, one more backup of v. The error is [ErrNoTermination] if the option fails its
// certificate.
func (m *ModelLearner) Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.ValueFunction, error) {
	m.env.Potential(p.Vector, m.sw.potential())
	var err error
	switch {
	case !m.sw.Model.Deterministic():
		m.sw.setRewards()
		err = m.sw.runExpected(ctx, m.spec.Sweeps)
	case m.spec.Learner == schema.Exact:
		err = m.sw.runLabelSetting(ctx)
	default:
		err = m.sw.run(ctx, m.spec.Sweeps)
	}
	if err != nil {
		return nil, nil, err
	}
	o, err := m.conclude(p)
	return o, schema.Value(m.sw.values()), err
}

// Conclude implements [OptionLearner].
func (m *ModelLearner) Conclude(p schema.Purpose, l schema.ValueFunction) (*schema.Option, error) {
	v, ok := l.(schema.Value)
	if states := m.sw.Model.States; !ok || len(v) != states {
		return nil, fmt.Errorf("%w: got a %s record, want values of %d states", wire.ErrMalformed, l.Kind(), states)
	}
	m.env.Potential(p.Vector, m.sw.potential())
	m.sw.loadValues(v)
	return m.conclude(p)
}

// Model returns the model that m learns on.
func (m *ModelLearner) Model() *envs.Model { return m.sw.Model }

// conclude derives policy and certificate from the sweeper's values.
func (m *ModelLearner) conclude(p schema.Purpose) (*schema.Option, error) {
	if m.observed != nil {
		tolerance := m.observed.setPurpose(p)
		return m.observed.newOption(p, m.sw.expectedPolicy(tolerance, tolerance), tolerance, m.sw.qOf), nil
	}
	tolerance := EffectiveTolerance(m.spec, m.sw.potential(), m.sw.Model.MaxBranches())
	o := &schema.Option{Purpose: p, Arity: m.sw.Model.Actions, Policy: m.sw.policy(tolerance)}
	var err error
	o.Certificate, err = certify(m.sw, o, tolerance)
	switch {
	case err != nil && m.spec.MaxOptionSteps > 0: // it is not proved to end, and its calls are truncated
		o.Certificate = schema.Certificate{Termination: schema.Unknown, Tolerance: tolerance, PeakQ: m.sw.peakQ(),
			MaxSteps: m.spec.MaxOptionSteps}
		countStarts(o, &o.Certificate)
	case err != nil:
		return nil, fmt.Errorf("purpose %d, sign %+d: %w", p.J, p.Sign, err)
	}
	return o, nil
}

// countStarts sets the number of states of I in c.
func countStarts(o *schema.Option, c *schema.Certificate) {
	for s := range o.Policy {
		if o.CanStart(s) {
			c.Initiation++
		}
	}
	c.Null = c.Initiation == 0
}

// certify verifies the termination theorem (paper, Theorem 3.1) for the option itself: T
// is not empty, it contains the state of largest w, and the policy ends in T from every
// other state.
func certify(sw *sweeper, o *schema.Option, tolerance float64) (schema.Certificate, error) {
	c := schema.Certificate{Termination: schema.Proved, Acyclic: true, Tolerance: tolerance, PeakQ: sw.peakQ()}
	countStarts(o, &c)
	if err := sw.verifyTermination(o, &c); err != nil {
		return c, err
	}
	if c.PeakQ > tolerance {
		return c, fmt.Errorf("%w: q is %v at the state of largest w", ErrNoTermination, c.PeakQ)
	}
	return c, nil
}

// verifyTermination follows an option's policy from every state to T and sets the lengths of
// the paths from I in c.
func (s *sweeper) verifyTermination(o *schema.Option, c *schema.Certificate) error {
	if !s.Model.Deterministic() { // T is reached with probability 1, in no bounded number of steps
		c.Acyclic = false
		if state := slices.Index(TerminatingStates(s.Model, o.Policy), false); state >= 0 {
			return fmt.Errorf("%w: its policy never ends from state %d on", ErrNoTermination, state)
		}
		return nil
	}
	if s.paths == nil {
		s.paths = newPolicyPaths(s.Model)
	}
	s.paths.follow(o.Policy)
	if state := slices.Index(s.paths.steps, envs.Never); state >= 0 {
		return fmt.Errorf("%w: its policy runs in a cycle from state %d on", ErrNoTermination, state)
	}
	s.paths.measure(o, c)
	return nil
}

// peakQ returns max_a q at the state of largest w, the first one on ties.
func (s *sweeper) peakQ() float64 {
	peak, w := 0, s.potential()
	for state, x := range w {
		if x > w[peak] {
			peak = state
		}
	}
	return slices.Max(s.qOf(peak))
}

func BuildModelLearner(env envs.Env, spec schema.Spec, _ Experience) (OptionLearner, error) {
	m, ok := envs.As[envs.ModelEnv](env)
	if !ok {
		return nil, fmt.Errorf("%w is not known; learner %s needs it", envs.ErrModel, spec.Learner)
	}
	return NewModelLearner(m, spec), nil
}

func checkDeterministic(env envs.Env, spec schema.Spec) error {
	if m, ok := envs.As[envs.ModelEnv](env); ok && !m.Deterministic() {
		return newLearnerError(spec, "which is stochastic", AdviceExpectingLearner, schema.Sweeps)
	}
	return nil
}
