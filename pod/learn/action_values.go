package learn

import (
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// StateValues returns v of an option: its own value table, or max(0, max_a q) of the
// states that its policy covers.
func StateValues(env envs.Env, o *schema.Option, l schema.ValueFunction) schema.Value {
	theta, linear := l.(schema.Theta)
	if !linear {
		return l.(schema.Value)
	}
	v, actions := make(schema.Value, env.States()), len(env.Actions())
	for i, q := range linearQ(env, theta) {
		v[i/actions] = max(v[i/actions], q)
	}
	return v[:min(len(v), len(o.Policy))]
}

// ActionValues returns q for all states and actions, S×A, row-major: the q of linear
// weights, or one more backup of a value table by env's model. For a model that was
// observed, see [WithObservedModel].
func ActionValues(env envs.ModelEnv, vector []float64, l schema.ValueFunction, gamma float64) []float64 {
	theta, linear := l.(schema.Theta)
	if linear {
		return linearQ(env, theta)
	}
	m := env.Model()
	sw, w := newSweeper(m, gamma), make([]float64, env.States())
	env.Potential(vector, w)
	copy(sw.potential(), w)
	sw.loadValues(l.(schema.Value))
	q := make([]float64, m.States*m.Actions)
	for s := range m.States {
		sw.q(s, q[s*m.Actions:(s+1)*m.Actions])
	}
	return q
}

// WithObservedModel returns env with the model of the observed transitions in place of its own. An action that was not
// tried leads nowhere, and nothing follows a transition that ended an episode.
func WithObservedModel(env envs.Env, transitions envs.TransitionCounts) envs.ModelEnv {
	return transitions.WithModel(env, func(_ int, observed envs.TransitionCounts) (branches []envs.Branch) {
		for _, t := range observed {
			branches = append(branches, envs.Branch{Next: t.Next, Weight: t.Count, Terminal: t.Terminal})
		}
		return branches
	})
}

// In a known model, the greedy policy never follows a cycle, because the tolerance is at least δ/(1−γ),
// where δ bounds the rounding error of a backup.
//
// Proof. No value v is larger than its own backup, except by rounding: value iteration starts from 0 and
// only raises values, and label setting assigns backups. Suppose that the policy follows a cycle. In each of
// its states, q exceeds the tolerance, and v(s) ≤ w(s') − w(s) + γ v(s') + δ, where s' is the next state.
// Applied again and again, this bounds v(s) by the return of following the cycle for ever, plus δ/(1−γ).
// Let m be the state of the cycle with the largest w, and s₁, s₂, … the states that follow it. The return
// from m is −w(m) + (1−γ) Σ γⁱ⁻¹ w(sᵢ) ≤ 0. Therefore q(m), which has the same bound, is at most δ/(1−γ).
// But then the policy terminates in m, and there is no cycle.
//
// In a stochastic model the same argument, in expectation, holds for a set of states that the policy never
// leaves.

// leastTolerance is far above the rounding errors of subnormal numbers.
const leastTolerance = 0x1p-900

// EffectiveTolerance returns the spec's tolerance, raised if necessary to the largest error that
// rounding alone can cause in a value. branches is the largest number of states that an action of
// the model can lead to.
func EffectiveTolerance(spec schema.Spec, w []float64, branches int) float64 {
	largest := uint64(0) // as bits, which have the order of their floats
	for _, x := range w {
		largest = max(largest, math.Float64bits(math.Abs(x)))
	}
	steps := float64(4 * (2 + branches))
	noise := float64(float64(steps*linalg.Epsilon)*math.Float64frombits(largest)) / (1 - spec.Gamma)
	return max(spec.Tolerance, noise, leastTolerance)
}
