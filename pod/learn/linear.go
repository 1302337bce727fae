package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// maxWeights is the largest number of weights of a linear q, (features + 1) × actions.
const maxWeights = 1 << 20

// ErrNoWeights reports that a linear learner found no weights.
var ErrNoWeights = errors.New("no weights could be learned")

// linear is the common part of the learners of q(s,a) = θ_aᵀφ̃(s), with φ̃ = (1, φ(s)).
// The value of ⊥ is 0.
type linear struct {
	*observingLearner
	terms termTable // by the place of a state in observed
	place []int32   // of each state in observed; 0 for others
}

// countWeights returns the number of weights of a linear q in env.
func countWeights(env envs.Env) int { return len(env.Actions()) * (len(env.Features()) + 1) }

func NewLinear(env envs.Env, spec schema.Spec, transitions envs.TransitionCounts) *linear {
	l := &linear{observingLearner: newExperience(env, spec, transitions), place: make([]int32, env.States())}
	for i, s := range l.observed {
		l.place[s] = int32(i)
	}
	l.terms = newTermTable(env, l.observed)
	return l
}

// termsOf returns the terms of an observed state.
func (l *linear) termsOf(s int32) envs.StateTerms { return l.terms.of(int(l.place[s])) }

// q sets dst to q(s,·) of the state at an index of observed.
func (l *linear) q(theta schema.Theta, place int, dst []float64) { l.terms.of(place).Q(theta, dst) }

// Conclude implements [OptionLearner].
func (l *linear) Conclude(p schema.Purpose, learned schema.ValueFunction) (*schema.Option, error) {
	theta, ok := learned.(schema.Theta)
	if !ok || theta.Actions != len(l.env.Actions()) || theta.Width != len(l.env.Features())+1 {
		return nil, fmt.Errorf("%w: got a %s record, want weights of %d actions and %d features",
			wire.ErrMalformed, learned.Kind(), len(l.env.Actions()), len(l.env.Features()))
	}
	return l.conclude(p, theta, l.setPurpose(p))
}

// conclude derives the policy from the weights, in all known states.
func (l *linear) conclude(p schema.Purpose, theta schema.Theta, tolerance float64) (*schema.Option, error) {
	if slices.ContainsFunc(theta.Weights, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return nil, schema.Hint(fmt.Errorf("purpose %d, sign %+d: %w: a weight overflowed", p.J, p.Sign,
			ErrNoWeights),
			AdviceScaleFeatures, schema.Empirical)
	}
	q, actions := linearQ(l.env, theta), theta.Actions
	policy := make([]int8, l.states)
	for s := range policy {
		policy[s] = envs.GreedyAction(q[s*actions:(s+1)*actions], tolerance)
	}
	closed := l.spec.Initiation == schema.StartObserved
	if closed {
		l.close(policy)
	}
	o := l.newOption(p, policy, tolerance, func(s int) []float64 { return q[s*actions : (s+1)*actions] })
	o.Certificate.Closed = closed
	return o, nil
}

// linearQ returns q of all states and actions, S×A, row-major: the weights of the features, added in their
// order, and then the constant's.
func linearQ(env envs.Env, theta schema.Theta) []float64 {
	states, actions := env.States(), theta.Actions
	q := make([]float64, states*actions)
	sums := make([]float64, states)
	for a := range actions {
		weights := theta.ActionWeights(a)
		env.Potential(weights[1:], sums)
		for s, x := range sums {
			q[s*actions+a] = x + weights[0]
		}
	}
	return q
}
