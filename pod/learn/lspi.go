package learn

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// MaxEliminated is the largest number of unknowns up to which LSPI solves its linear system by elimination: the system
// has that number squared of entries. Larger ones are solved by conjugate gradients.
const MaxEliminated = 2048

// ridge is the fraction of its own size that is added to each diagonal element of a
// singular system.
const ridge = 1e-6

// lspi is least-squares policy iteration (Lagoudakis & Parr, Journal of Machine Learning
// Research 4, 2003) over the distinct transitions, each weighted by how often it was
// observed. The value of a policy π is given by the θ that solves
//
//	Σ n ψ(s,a) [ψ(s,a) − γ ψ(s',π(s'))]ᵀ θ = Σ n ψ(s,a) [w(s') − w(s)],
//
// where ψ(s,a) is φ̃(s) in the columns of action a, and ψ(s',π(s')) is 0 if π(s') is ⊥ or
// the episode ended (LSTD: Bradtke & Barto, Machine Learning 22, 1996). The next π is greedy in q,
// with ⊥, within the tolerance in effect. Iteration starts with ⊥ everywhere and ends with a policy
// that it had before.
//
// A feature that is linearly dependent on earlier ones, over all states in which an action
// was taken, gets weight 0 for that action; the constant counts as the last feature. So on
// one-hot features q is a table, with 0 for actions not tried, and policy evaluation is
// exact. If the features cannot express q, a residual of the equations can grow by 1/(1−γ)
// in the values, and the policies may cycle: that is inherent in least-squares policy
// iteration.
//
// The other weights are the unknowns. [eliminatedSystem] solves for up to [MaxEliminated] of them,
// [gradientSystem] for more, which eliminates up to 4096 of them where that fails. Only where there are more
// weights than that, even unknowns that are few are found by [gramFactors], whose size follows from what was
// seen.
type lspi struct {
	*linear
	system policySystem
}

// A policySystem solves for the value of a policy.
type policySystem interface {
	// evaluate sets theta to the weights of the value of a policy, by the place of a state in
	// observed, where a share of its own size is added to each diagonal element of the system. ok is
	// false if that is singular.
	evaluate(ctx context.Context, policy []int8, share float64, theta schema.Theta) (ok bool, err error)
}

// lspiBytes returns the least size of the linear system, in bytes: of its matrix, or with more than [MaxEliminated]
// weights of the vectors of conjugate gradients. [EstimateLearningMemory] returns the part that depends on the
// experience.
func lspiBytes(_, actions, dims int64) int64 {
	weights := (dims + 1) * actions
	if weights > MaxEliminated {
		return gradientVectors * 8 * weights
	}
	return 8 * weights * weights
}

func newLSPI(env envs.Env, spec schema.Spec, seen Experience) (OptionLearner, error) {
	l := &lspi{linear: NewLinear(env, spec, seen.Transitions)}
	if countWeights(env) <= MaxEliminated {
		var keeps [][]bool // by action: which features are independent of those before them, where it was taken
		for a := range env.Actions() {
			keeps = append(keeps, linalg.IndependentColumns(l.gramMatrix(a, len(env.Features())+1)))
		}
		l.system = newEliminatedSystem(l.linear, keeps)
	}
	return l, nil
}

// Learn implements [OptionLearner].
func (l *lspi) Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.ValueFunction, error) {
	if l.system == nil { // that of many weights
		gram, err := newGramFactors(ctx, l.linear)
		if err != nil {
			return nil, nil, err
		}
		if gram.rank() <= MaxEliminated {
			l.system = newEliminatedSystem(l.linear, gram.independent())
		} else {
			l.system = newGradientSystem(l.linear, gram)
		}
	}
	tolerance := l.setPurpose(p)
	theta := schema.NewTheta(len(l.env.Actions()), len(l.env.Features()))
	policy := l.greedy(theta, tolerance)
	visited := map[[sha256.Size]byte]bool{}
	for round := int64(0); round < l.spec.Sweeps && !visited[hashPolicy(policy)]; round++ {
		visited[hashPolicy(policy)] = true
		if err := l.evaluate(ctx, policy, theta); err != nil {
			return nil, nil, fmt.Errorf("purpose %d, sign %+d: %w", p.J, p.Sign, err)
		}
		policy = l.greedy(theta, tolerance)
	}
	o, err := l.conclude(p, theta, tolerance)
	return o, theta, err
}

func hashPolicy(policy []int8) [sha256.Size]byte {
	b := make([]byte, len(policy))
	for i, a := range policy {
		b[i] = byte(a)
	}
	return sha256.Sum256(b)
}

// greedy returns the greedy policy in the observed states.
func (l *lspi) greedy(theta schema.Theta, tolerance float64) []int8 {
	policy, q := make([]int8, len(l.observed)), make([]float64, theta.Actions)
	for i := range policy {
		l.q(theta, i, q)
		policy[i] = envs.GreedyAction(q, tolerance)
	}
	return policy
}

// evaluate solves for the weights of a policy, with a ridge if the system is singular.
func (l *lspi) evaluate(ctx context.Context, policy []int8, theta schema.Theta) error {
	for _, share := range []float64{0, ridge} {
		if ok, err := l.system.evaluate(ctx, policy, share, theta); ok || err != nil {
			return err
		}
	}
	return schema.Hint(fmt.Errorf("%w: the least-squares system of a policy is singular", ErrNoWeights),
		AdviceSolvable, schema.QLearning, schema.Empirical)
}

// nextAction returns the action that a policy takes after a transition, ⊥ if it takes none.
func (l *linear) nextAction(policy []int8, m envs.CountedTransition) int8 {
	if m.Terminal {
		return schema.Terminate
	}
	return policy[l.place[m.Next]]
}
