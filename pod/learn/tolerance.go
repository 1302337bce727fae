package learn

import (
	"math"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// A learner that knows the model takes the lowest of the actions with the greatest q. None of its
// policies can run in a cycle. Let v be its values, which are at most their own backups: value
// iteration starts from 0 and only raises them, and label setting assigns backups. Let a policy
// follow a cycle, where q exceeds the tolerance. Round the cycle, v(s) ≤ w(s') − w(s) + γ v(s') +
// δ, where δ is the rounding of a backup, so that v(s) is at most the return of going round for
// ever, and δ/(1−γ). At the state m of largest w on the cycle that return is −w(m) + (1−γ) Σ γⁱ
// w(sᵢ) ≤ 0. So q(m), which is bounded in the same way, is at most δ/(1−γ), which is what the
// tolerance is at least: the policy terminates in m, and the cycle is none. The same holds in
// expectation, for a set of states that a policy never leaves, and for the state of largest w of
// all.

// leastTolerance is far above the rounding errors of subnormal numbers.
const leastTolerance = 0x1p-900

// EffectiveTolerance returns the spec's tolerance, but at least the most that rounding alone can
// make of a value of 0, in a model whose actions lead to up to the given number of states.
func EffectiveTolerance(spec schema.Spec, w []float64, branches int) float64 {
	largest := uint64(0) // as bits, which have the order of their floats
	for _, x := range w {
		largest = max(largest, math.Float64bits(math.Abs(x)))
	}
	steps := float64(4 * (2 + branches))
	noise := float64(float64(steps*linalg.Epsilon)*math.Float64frombits(largest)) / (1 - spec.Gamma)
	return max(spec.Tolerance, noise, leastTolerance)
}
