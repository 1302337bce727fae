package pod

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// ErrNoWeights says that a linear learner found no weights.
var ErrNoWeights = errors.New("no weights could be learned")

// MaxUnknowns bounds the weights that LSPI solves for: a system of as many squared.
const MaxUnknowns = 2048

// ridge is the share of its own size that is added to each diagonal element of a
// singular system.
const ridge = 1e-6

// lspi is least-squares policy iteration (Lagoudakis & Parr, Journal of Machine
// Learning Research 4, 2003) over the distinct moves, each as often as it was
// observed. A policy π is worth the θ that solves
//
//	Σ n ψ(s,a) [ψ(s,a) − γ ψ(s',π(s'))]ᵀ θ = Σ n ψ(s,a) [w(s') − w(s)],
//
// where ψ(s,a) is φ̃(s) in the place of action a, and ψ(s',π(s')) is 0 where π is ⊥
// or the episode ended. The next π is greedy in q, with ⊥, by the tolerance in force.
// It begins with ⊥ everywhere, and ends with a policy that it had before.
//
// Features that others before them give, in all states where an action was taken, have
// no part in that action's weights, which are 0; the constant counts as the last. So
// on one-hot features q is a table, with 0 for what was not tried, and the policy's
// worth is exact. Where the features cannot express q, what the equations miss by can
// come to 1/(1−γ) times as much in the values, and policies may follow one another in
// a circle: that is least-squares policy iteration.
type lspi struct {
	*linear
	unknowns []unknown
	column   [][]int // by action and weight, −1 where that is 0
	diagonal []float64
}

// An unknown is a weight that is solved for.
type unknown struct{ action, weight int }

func newLSPI(env Env, spec schema.Spec, seen Experience) *lspi {
	l := &lspi{linear: newLinear(env, spec, seen.Transitions)}
	actions, width := len(env.Actions()), len(env.Features())+1
	var keeps [][]bool
	for a := range actions {
		l.column = append(l.column, slices.Repeat([]int{-1}, width))
		keeps = append(keeps, independentColumns(l.gramMatrix(a, width)))
	}
	for at := range width { // by feature and then by action, which keeps systems of one-hot features sparse
		for a := range actions {
			if weight := (at + 1) % width; keeps[a][at] {
				l.column[a][weight] = len(l.unknowns)
				l.unknowns = append(l.unknowns, unknown{a, weight})
			}
		}
	}
	l.diagonal = make([]float64, len(l.unknowns))
	for _, m := range l.transitions {
		for _, c := range l.active[l.index[m.State]] {
			if i := l.column[m.Action][c.weight]; i >= 0 {
				l.diagonal[i] += float64(float64(m.Count) * float64(c.x*c.x))
			}
		}
	}
	return l
}

// gramMatrix is Σ n φ̃φ̃ᵀ over the states in which an action was taken, the constant last.
func (l *lspi) gramMatrix(a, width int) [][]float64 {
	g := newSquare(width)
	at := func(c term) int { return (c.weight + width - 1) % width }
	for _, m := range l.transitions {
		if int(m.Action) != a {
			continue
		}
		parts := l.active[l.index[m.State]]
		for _, c := range parts {
			for _, d := range parts {
				g[at(c)][at(d)] += float64(float64(m.Count) * float64(c.x*d.x))
			}
		}
	}
	return g
}

// Learn implements [OptionLearner].
func (l *lspi) Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.ValueFunction, error) {
	tolerance := l.setPurpose(p)
	theta := schema.NewTheta(len(l.column), len(l.env.Features()))
	policy := l.greedy(theta, tolerance)
	had := map[[sha256.Size]byte]bool{}
	for round := int64(0); round < l.spec.Sweeps && !had[hashPolicy(policy)]; round++ {
		had[hashPolicy(policy)] = true
		weights, err := l.evaluate(ctx, policy)
		if err != nil {
			return nil, nil, fmt.Errorf("purpose %d, sign %+d: %w", p.J, p.Sign, err)
		}
		for i, u := range l.unknowns {
			theta.ActionWeights(u.action)[u.weight] = weights[i]
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

// greedy is the policy in the states that were observed.
func (l *lspi) greedy(theta schema.Theta, tolerance float64) []int8 {
	policy, q := make([]int8, len(l.observed)), make([]float64, theta.Actions)
	for i := range policy {
		l.q(theta, i, q)
		policy[i] = GreedyAction(q, tolerance)
	}
	return policy
}

// evaluate solves for the weights of a policy: with a ridge where that is singular.
func (l *lspi) evaluate(ctx context.Context, policy []int8) ([]float64, error) {
	for _, share := range []float64{0, ridge} {
		a, b := l.buildSystem(policy)
		for i, size := range l.diagonal {
			a[i][i] += float64(share * size)
		}
		x, ok, err := solveGauss(ctx, a, b, l.diagonal)
		if ok || err != nil {
			return x, err
		}
	}
	return nil, schema.Hint(fmt.Errorf("%w: the least-squares system of a policy is singular", ErrNoWeights),
		"use --learner %s or %s, or another gamma", schema.QLearning, schema.Empirical)
}

// buildSystem is that of a policy, the moves in their order.
func (l *lspi) buildSystem(policy []int8) (a [][]float64, b []float64) {
	a, b = newSquare(len(l.unknowns)), make([]float64, len(l.unknowns))
	for _, m := range l.transitions {
		from, to := l.index[m.State], l.index[m.Next]
		reward := l.w[m.Next] - l.w[m.State]
		over := m.Terminal || policy[to] == schema.Terminate
		for _, c := range l.active[from] {
			i := l.column[m.Action][c.weight]
			if i < 0 {
				continue
			}
			n := float64(float64(m.Count) * c.x)
			b[i] += float64(n * reward)
			addTerms(a[i], l.column[m.Action], l.active[from], n)
			if !over {
				addTerms(a[i], l.column[policy[to]], l.active[to], -float64(n*l.spec.Gamma))
			}
		}
	}
	return a, b
}

// addTerms adds n times a state's components to the row of an equation, each in its
// column.
func addTerms(row []float64, column []int, parts []term, n float64) {
	for _, c := range parts {
		if j := column[c.weight]; j >= 0 {
			row[j] += float64(n * c.x)
		}
	}
}
