package learn

import (
	"context"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// An eliminatedSystem is LSPI's linear system with all entries, solved by Gaussian elimination.
type eliminatedSystem struct {
	*linear
	unknowns []unknown
	column   [][]int // by action and weight, −1 for a weight of 0
	diagonal []float64
}

// An unknown is a weight that is solved for.
type unknown struct{ action, weight int }

// newEliminatedSystem returns the system of the weights of features that are independent, by action and in
// their order, the constant last.
func newEliminatedSystem(l *linear, keeps [][]bool) *eliminatedSystem {
	e := &eliminatedSystem{linear: l}
	actions, width := len(l.env.Actions()), len(l.env.Features())+1
	for range actions {
		e.column = append(e.column, slices.Repeat([]int{-1}, width))
	}
	for at := range width { // by feature and then by action, which keeps systems of one-hot features sparse
		for a := range actions {
			if weight := (at + 1) % width; keeps[a][at] {
				e.column[a][weight] = len(e.unknowns)
				e.unknowns = append(e.unknowns, unknown{a, weight})
			}
		}
	}
	e.diagonal = make([]float64, len(e.unknowns))
	for _, m := range l.transitions {
		terms := l.termsOf(m.State)
		for at, w := range terms.Weights {
			if i := e.column[m.Action][w]; i >= 0 {
				x := terms.Value(at)
				e.diagonal[i] += float64(float64(m.Count) * float64(x*x))
			}
		}
	}
	return e
}

// gramMatrix returns Σ n φ̃φ̃ᵀ over the states in which action a was taken, the constant
// last. [addSquare] adds up the same sums in another order and with other bits, which recorded weights follow
// from; so both stay.
func (l *linear) gramMatrix(a, width int) [][]float64 {
	g := linalg.NewSquare(width)
	for _, m := range l.transitions {
		if int(m.Action) != a {
			continue
		}
		terms := l.termsOf(m.State)
		for i, w := range terms.Weights {
			row := g[orderOf(w, width)]
			for j, other := range terms.Weights {
				row[orderOf(other, width)] += float64(float64(m.Count) * float64(terms.Value(i)*terms.Value(j)))
			}
		}
	}
	return g
}

// evaluate implements [policySystem].
func (e *eliminatedSystem) evaluate(
	ctx context.Context, policy []int8, share float64, theta schema.Theta,
) (ok bool, err error) {
	a, b := e.build(policy)
	for i, size := range e.diagonal {
		a[i][i] += float64(share * size)
	}
	x, ok, err := linalg.SolveGauss(ctx, a, b, e.diagonal)
	if !ok || err != nil {
		return false, err
	}
	for i, u := range e.unknowns {
		theta.ActionWeights(u.action)[u.weight] = x[i]
	}
	return true, nil
}

// build returns the linear system Ax = b of a policy, the transitions added in their order.
func (e *eliminatedSystem) build(policy []int8) (a [][]float64, b []float64) {
	a, b = linalg.NewSquare(len(e.unknowns)), make([]float64, len(e.unknowns))
	for _, m := range e.transitions {
		from, to, next := e.termsOf(m.State), e.termsOf(m.Next), e.nextAction(policy, m)
		reward := e.w[m.Next] - e.w[m.State]
		for at, w := range from.Weights {
			i := e.column[m.Action][w]
			if i < 0 {
				continue
			}
			n := float64(float64(m.Count) * from.Value(at))
			b[i] += float64(n * reward)
			addTerms(a[i], e.column[m.Action], from, n)
			if next != schema.Terminate {
				addTerms(a[i], e.column[next], to, -float64(n*e.spec.Gamma))
			}
		}
	}
	return a, b
}

// addTerms adds n times a state's terms to the row of an equation, each in its column.
func addTerms(row []float64, column []int, terms envs.StateTerms, n float64) {
	for i, w := range terms.Weights {
		if j := column[w]; j >= 0 {
			row[j] += float64(n * terms.Value(i))
		}
	}
}
