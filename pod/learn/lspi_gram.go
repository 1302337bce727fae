package learn

import (
	"context"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
)

// gramFactors are the factors LLᵀ of C = Σ n ψψᵀ, the sum over the states and actions that were taken there. C has a
// block for each action. Features that an action was never taken with, or that depend on earlier ones there, are rows
// of L that are 0.
type gramFactors struct {
	width    int
	factors  []*linalg.Envelope // L by action, in the order of the features with the constant last
	diagonal []float64          // of C, by action and weight
}

func newGramFactors(ctx context.Context, l *linear) (gramFactors, error) {
	actions, width := len(l.env.Actions()), len(l.env.Features())+1
	g := gramFactors{width: width, factors: make([]*linalg.Envelope, actions), diagonal: make([]float64, actions*width)}
	firsts := emptyRows(actions, width)
	l.visitTaken(func(s int32, action int, _ int64) { noteFirst(firsts[action], l.termsOf(s).Weights) })
	for a := range g.factors {
		g.factors[a] = linalg.NewEnvelope(firsts[a])
	}
	l.visitTaken(func(s int32, action int, n int64) {
		if ctx.Err() == nil {
			addSquare(g.factors[action], l.termsOf(s), float64(n))
		}
	})
	for a, f := range g.factors {
		for i, row := range f.Rows {
			g.of(g.diagonal, a)[(i+1)%width] = row[len(row)-1]
		}
		if err := f.Factor(ctx); err != nil {
			return g, err
		}
	}
	return g, ctx.Err()
}

// of returns the part of a vector that belongs to an action.
func (g *gramFactors) of(x []float64, action int) []float64 {
	return x[action*g.width : (action+1)*g.width]
}

// independent reports by action which features are independent of those before them, the constant last.
func (g *gramFactors) independent() [][]bool {
	keeps := make([][]bool, len(g.factors))
	for a, f := range g.factors {
		for _, row := range f.Rows {
			keeps[a] = append(keeps[a], row[len(row)-1] != 0)
		}
	}
	return keeps
}

// rank returns the number of independent features of all actions.
func (g *gramFactors) rank() (n int) {
	for _, keeps := range g.independent() {
		for _, keep := range keeps {
			if keep {
				n++
			}
		}
	}
	return n
}

// visitTaken calls visit for each observed state and action that was taken in it, with the number of
// times.
func (o *observingLearner) visitTaken(visit func(s int32, action int, n int64)) {
	for i := 0; i < len(o.transitions); {
		m, n := o.transitions[i], int64(0)
		for ; i < len(o.transitions) && o.transitions[i].State == m.State && o.transitions[i].Action == m.Action; i++ {
			n += o.transitions[i].Count
		}
		visit(m.State, int(m.Action), n)
	}
}

// orderOf returns the place of a weight in the order of the features with the constant last.
func orderOf(weight int32, width int) int { return (int(weight) + width - 1) % width }

// noteFirst lowers the first entries of the rows of a Gram matrix to those that a state with the given
// weights makes.
func noteFirst(first []int32, weights []int32) {
	lowest := int32(orderOf(weights[0], len(first)))
	for _, w := range weights {
		i := orderOf(w, len(first))
		first[i] = min(first[i], lowest)
	}
}

// emptyRows returns the first entries of the rows of a matrix of zeros.
func emptyRows(actions, width int) [][]int32 {
	all := make([][]int32, actions)
	for a := range all {
		all[a] = make([]int32, width)
		for i := range all[a] {
			all[a][i] = int32(i)
		}
	}
	return all
}

// addSquare adds n times φ̃φ̃ᵀ to a Gram matrix.
func addSquare(e *linalg.Envelope, terms envs.StateTerms, n float64) {
	width := len(e.Rows)
	for i, w := range terms.Weights {
		at := orderOf(w, width)
		row, x := e.Rows[at], float64(n*terms.Value(i))
		for j, other := range terms.Weights[:i+1] {
			row[orderOf(other, width)-int(e.First[at])] += float64(x * terms.Value(j))
		}
	}
}

// estimateLSPIMemory returns the size of the terms of all observed states and, where L is needed, of L, in
// bytes.
func estimateLSPIMemory(env envs.Env, transitions envs.TransitionCounts) int64 {
	need := estimateTermMemory(env, transitions)
	if countWeights(env) <= MaxEliminated {
		return need
	}
	firsts, phi := emptyRows(len(env.Actions()), len(env.Features())+1), make([]float64, len(env.Features()))
	seen, state, terms := observingLearner{transitions: transitions}, int32(-1), envs.StateTerms{}
	seen.visitTaken(func(s int32, action int, _ int64) {
		if s != state {
			setTerms(env, int(s), phi, &terms)
			state = s
		}
		noteFirst(firsts[action], terms.Weights)
	})
	for _, first := range firsts {
		need += 8 * linalg.EnvelopeEntries(first)
	}
	return need
}
