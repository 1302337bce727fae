package learn

import (
	"context"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// A gradientSystem is LSPI's linear system A by the transitions that it is a sum over, solved by
// [linalg.SolveGradients]. It is preconditioned by the matrix C = Σ n ψψᵀ, which has a block for each action:
// with the factors LLᵀ of C, what is solved is L⁻¹AL⁻ᵀ y = L⁻¹b, and θ = L⁻ᵀy. For policies that are ⊥
// everywhere A is C, so that one step solves it; and on one-hot features L⁻¹AL⁻ᵀ is 1 less γ times what
// the transitions make of probabilities, which no number of states makes ill-conditioned.
//
// Features that an action was never taken with, or that depend on others there, are rows of L that are
// 0, so that they have no part in it.
type gradientSystem struct {
	*linear
	gramFactors

	policy  []int8  // that is evaluated
	share   float64 // of the diagonal that is added to it
	theta   []float64
	ordered []float64 // an action's weights with the constant last

	eliminated *eliminatedSystem // nil before gradients have failed
}

// mostEliminated is the largest number of unknowns that are eliminated where gradients fail, because the system
// is too nearly singular for them: 128 MiB.
const mostEliminated = 4096

// gradientVectors is the number of vectors over all weights that are in memory at once.
const gradientVectors = 8

func newGradientSystem(l *linear, c gramFactors) *gradientSystem {
	return &gradientSystem{linear: l, gramFactors: c, theta: make([]float64, len(c.diagonal)),
		ordered: make([]float64, c.width)}
}

// evaluate implements [policySystem].
func (g *gradientSystem) evaluate(
	ctx context.Context, policy []int8, share float64, theta schema.Theta,
) (ok bool, err error) {
	g.policy, g.share = policy, share
	b := make([]float64, len(g.theta))
	for _, m := range g.transitions {
		reward := g.w[m.Next] - g.w[m.State]
		g.termsOf(m.State).AddTo(g.of(b, int(m.Action)), float64(float64(m.Count)*reward))
	}
	g.precondition(b, (*linalg.Envelope).Solve)
	y, ok, err := linalg.SolveGradients(ctx, g, b)
	if err != nil {
		return false, err
	}
	if !ok {
		return g.eliminate(ctx, theta)
	}
	g.precondition(y, (*linalg.Envelope).SolveTransposed)
	copy(theta.Weights, y)
	return true, nil
}

// eliminate solves the system by elimination, if it is not too large for that.
func (g *gradientSystem) eliminate(ctx context.Context, theta schema.Theta) (ok bool, err error) {
	if g.rank() > mostEliminated {
		return false, nil
	}
	if g.eliminated == nil {
		g.eliminated = newEliminatedSystem(g.linear, g.independent())
	}
	return g.eliminated.evaluate(ctx, g.policy, g.share, theta)
}

// precondition solves for each action's part of x.
func (g *gradientSystem) precondition(x []float64, solve func(l *linalg.Envelope, x []float64)) {
	for a, f := range g.factors {
		part := g.of(x, a)
		copy(g.ordered, part[1:])
		g.ordered[g.width-1] = part[0]
		solve(f, g.ordered)
		copy(part[1:], g.ordered)
		part[0] = g.ordered[g.width-1]
	}
}

// Multiply implements [linalg.linearOperator]: L⁻¹AL⁻ᵀ.
func (g *gradientSystem) Multiply(ctx context.Context, x, out []float64) error {
	return g.transform(ctx, x, out, func(m envs.CountedTransition, theta, out []float64) {
		from := g.termsOf(m.State)
		q := from.Dot(g.of(theta, int(m.Action)))
		if next := g.nextAction(g.policy, m); next != schema.Terminate {
			q -= float64(g.spec.Gamma * g.termsOf(m.Next).Dot(g.of(theta, int(next))))
		}
		from.AddTo(g.of(out, int(m.Action)), float64(float64(m.Count)*q))
	})
}

// MultiplyTransposed implements [linalg.linearOperator].
func (g *gradientSystem) MultiplyTransposed(ctx context.Context, x, out []float64) error {
	return g.transform(ctx, x, out, func(m envs.CountedTransition, theta, out []float64) {
		from := g.termsOf(m.State)
		q := float64(float64(m.Count) * from.Dot(g.of(theta, int(m.Action))))
		from.AddTo(g.of(out, int(m.Action)), q)
		if next := g.nextAction(g.policy, m); next != schema.Terminate {
			g.termsOf(m.Next).AddTo(g.of(out, int(next)), -float64(g.spec.Gamma*q))
		}
	})
}

// transform sets out to L⁻¹ times the sum that add makes over the transitions, of L⁻ᵀx, with the ridge.
func (g *gradientSystem) transform(
	ctx context.Context, x, out []float64, add func(m envs.CountedTransition, theta, out []float64),
) error {
	copy(g.theta, x)
	g.precondition(g.theta, (*linalg.Envelope).SolveTransposed)
	clear(out)
	for i, m := range g.transitions {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		add(m, g.theta, out)
	}
	for i, size := range g.diagonal {
		out[i] += float64(float64(g.share*size) * g.theta[i])
	}
	g.precondition(out, (*linalg.Envelope).Solve)
	return ctx.Err()
}
