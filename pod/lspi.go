package pod

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// MaxUnknowns is the largest number of weights that LSPI solves for. Its linear system has
// that number squared of entries.
const MaxUnknowns = 2048

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
// the episode ended. The next π is greedy in q, with ⊥, within the tolerance in effect.
// Iteration starts with ⊥ everywhere and ends with a policy that it had before.
//
// A feature that is linearly dependent on earlier ones, over all states in which an action
// was taken, gets weight 0 for that action; the constant counts as the last feature. So on
// one-hot features q is a table, with 0 for actions not tried, and policy evaluation is
// exact. If the features cannot express q, a residual of the equations can grow by 1/(1−γ)
// in the values, and the policies may cycle: that is inherent in least-squares policy
// iteration.
type lspi struct {
	*linear
	unknowns []unknown
	column   [][]int // by action and weight, −1 for a weight of 0
	diagonal []float64
}

// An unknown is a weight that is solved for.
type unknown struct{ action, weight int }

// systemBytes returns the size of the linear system, in bytes.
func systemBytes(_, actions, dims int64) int64 {
	weights := (dims + 1) * actions
	return 8 * weights * weights
}

func checkUnknowns(env Env, spec schema.Spec) error {
	if n := countWeights(env); n > MaxUnknowns {
		return newLearnerError(spec, fmt.Sprintf("which has %d weights", n), AdviceFewerUnknowns, MaxUnknowns,
			schema.QLearning, schema.Empirical)
	}
	return nil
}

func newLSPI(env Env, spec schema.Spec, seen Experience) (OptionLearner, error) {
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
	return l, nil
}

// gramMatrix returns Σ n φ̃φ̃ᵀ over the states in which action a was taken, the constant
// last.
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
	visited := map[[sha256.Size]byte]bool{}
	for round := int64(0); round < l.spec.Sweeps && !visited[hashPolicy(policy)]; round++ {
		visited[hashPolicy(policy)] = true
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

// greedy returns the greedy policy in the observed states.
func (l *lspi) greedy(theta schema.Theta, tolerance float64) []int8 {
	policy, q := make([]int8, len(l.observed)), make([]float64, theta.Actions)
	for i := range policy {
		l.q(theta, i, q)
		policy[i] = GreedyAction(q, tolerance)
	}
	return policy
}

// evaluate solves for the weights of a policy, with a ridge if the system is singular.
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
	return nil, schema.Advise(fmt.Errorf("%w: the least-squares system of a policy is singular", ErrNoWeights),
		AdviceSolvable, schema.QLearning, schema.Empirical)
}

// buildSystem returns the linear system Ax = b of a policy, the transitions added in their
// order.
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

// addTerms adds n times a state's terms to the row of an equation, each in its column.
func addTerms(row []float64, column []int, parts []term, n float64) {
	for _, c := range parts {
		if j := column[c.weight]; j >= 0 {
			row[j] += float64(n * c.x)
		}
	}
}
