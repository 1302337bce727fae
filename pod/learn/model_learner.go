package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

func init() {
	RegisterLearner(schema.Sweeps, LearnerEntry{Build: BuildModelLearner})
	RegisterLearner(schema.Exact, LearnerEntry{
		Build: BuildModelLearner, Check: checkDeterministic,
		Memory: func(states, _, _ int64) int64 { return states * labelsBytes },
	})
}

// ErrNoTermination reports that an option failed its certificate.
var ErrNoTermination = errors.New("option does not terminate")

// A ModelLearner learns options for purposes from the model, one after the other in the
// same memory.
type ModelLearner struct {
	env  envs.ModelEnv
	spec schema.Spec
	Sw   *sweeper
}

// NewModelLearner returns a learner for the purposes of a spec's runs in env.
func NewModelLearner(env envs.ModelEnv, spec schema.Spec) *ModelLearner {
	return &ModelLearner{env: env, spec: spec, Sw: newSweeper(env.Model(), spec.Gamma)}
}

// Learn returns the option for a purpose and its value table v: the result of spec.Sweeps
// sweeps, or their fixed point. The policy, with ⊥, and I follow from q, one more backup
// of v. The table is valid until the next call. The error is [ErrNoTermination] if the
// option fails its certificate.
func (m *ModelLearner) Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.Value, error) {
	m.env.Potential(p.Vector, m.Sw.potential())
	if err := m.computeValues(ctx); err != nil {
		return nil, nil, err
	}
	o, err := m.conclude(p)
	if err != nil {
		return nil, nil, err
	}
	return o, m.Sw.values(), nil
}

// computeValues fills the value table by the spec's learner.
func (m *ModelLearner) computeValues(ctx context.Context) error {
	switch {
	case !m.Sw.Model.Deterministic():
		return m.Sw.runExpected(ctx, m.spec.Sweeps)
	case m.spec.Learner == schema.Exact:
		return m.Sw.runLabelSetting(ctx)
	}
	return m.Sw.run(ctx, m.spec.Sweeps)
}

// Conclude returns the option that follows from a purpose and its value table v.
func (m *ModelLearner) Conclude(p schema.Purpose, v schema.Value) (*schema.Option, error) {
	m.env.Potential(p.Vector, m.Sw.potential())
	m.Sw.loadValues(v)
	return m.conclude(p)
}

// conclude derives policy and certificate from the sweeper's values.
func (m *ModelLearner) conclude(p schema.Purpose) (*schema.Option, error) {
	tolerance := EffectiveTolerance(m.spec, m.Sw.potential(), m.Sw.Model.MaxBranches())
	o := &schema.Option{Purpose: p, Arity: m.Sw.Model.Actions, Policy: m.Sw.policy(tolerance)}
	var err error
	o.Certificate, err = certify(m.Sw, o, tolerance)
	if err != nil && m.spec.MaxOptionSteps > 0 {
		o.Certificate, err = m.boundedCertificate(o, tolerance), nil
	}
	if err != nil {
		return nil, fmt.Errorf("purpose %d, sign %+d: %w", p.J, p.Sign, err)
	}
	return o, nil
}

// boundedCertificate returns the certificate of an option that is not proved to end, whose calls are truncated.
func (m *ModelLearner) boundedCertificate(o *schema.Option, tolerance float64) schema.Certificate {
	c := schema.Certificate{
		Termination: schema.Unknown, Tolerance: tolerance, PeakQ: m.Sw.peakQ(), MaxSteps: m.spec.MaxOptionSteps,
	}
	countStarts(o, &c)
	return c
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
	if !s.Model.Deterministic() {
		return s.verifyStochasticTermination(o.Policy, c)
	}
	if s.paths == nil {
		s.paths = newPolicyPaths(s.Model)
	}
	s.paths.follow(o.Policy)
	total := int64(0)
	for state, n := range s.paths.steps {
		if n == envs.Never {
			return fmt.Errorf("%w: its policy runs in a cycle from state %d on", ErrNoTermination, state)
		}
		if o.CanStart(state) {
			total += int64(n)
			c.Longest = max(c.Longest, schema.PathLength(n))
		}
	}
	if c.Initiation > 0 {
		reach := float64(total) / float64(c.Initiation)
		c.Reach = &reach
	}
	return nil
}

// verifyStochasticTermination verifies that T is reached with probability 1. The number of
// steps is unbounded, so there is no longest path.
func (s *sweeper) verifyStochasticTermination(policy []int8, c *schema.Certificate) error {
	c.Acyclic = false
	for state, ends := range TerminatingStates(s.Model, policy) {
		if !ends {
			return fmt.Errorf("%w: its policy never ends from state %d on", ErrNoTermination, state)
		}
	}
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
	q := make([]float64, s.Model.Actions)
	s.q(peak, q)
	return slices.Max(q)
}

func BuildModelLearner(env envs.Env, spec schema.Spec, _ Experience) (OptionLearner, error) {
	m, ok := envs.As[envs.ModelEnv](env)
	if !ok {
		return nil, fmt.Errorf("%w is not known; learner %s needs it", envs.ErrModel, spec.Learner)
	}
	return ModelOptionLearner{NewModelLearner(m, spec)}, nil
}

func checkDeterministic(env envs.Env, spec schema.Spec) error {
	if m, ok := envs.As[envs.ModelEnv](env); ok && !m.Deterministic() {
		return newLearnerError(spec, "which is stochastic", AdviceExpectingLearner, schema.Sweeps)
	}
	return nil
}

// ModelOptionLearner adapts a [ModelLearner] to [OptionLearner].
type ModelOptionLearner struct{ L *ModelLearner }

func (m ModelOptionLearner) Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.ValueFunction, error) {
	o, v, err := m.L.Learn(ctx, p)
	return o, v, err
}

func (m ModelOptionLearner) Conclude(p schema.Purpose, l schema.ValueFunction) (*schema.Option, error) {
	v, err := valueOf(l, m.L.Sw.Model.States)
	if err != nil {
		return nil, err
	}
	return m.L.Conclude(p, v)
}
