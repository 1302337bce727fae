package pod

import (
	"math"

	"github.com/podtrack/podtrack/schema"
)

// What the numerics versions differ in. A spec names its version, and every version stays
// executable.
//
// Version 1 factors D by one-sided Jacobi, and takes the lowest of all actions whose q is within
// the tolerance of the best one. With values that far from their fixed point, a policy could
// follow such ties in a cycle, and the run failed.
//
// Version 2 factors D by [Gram] or [Reduced], and takes the lowest of the actions with the
// greatest q. No policy of a learner that knows the model can then run in a cycle. Let v be its
// values, which are at most their own backups: value iteration starts from 0 and only raises
// them, and label setting assigns backups. Let a policy follow a cycle, where q exceeds the
// tolerance. Round the cycle, v(s) ≤ w(s') − w(s) + γ v(s') + δ, where δ is the rounding of a
// backup, so that v(s) is at most the return of going round for ever, and δ/(1−γ). At the state m of
// largest w on the cycle that return is −w(m) + (1−γ) Σ γⁱ w(sᵢ) ≤ 0. So q(m), which is bounded in
// the same way, is at most δ/(1−γ), which is what the tolerance is at least: the policy terminates
// in m, and the cycle is none. The same holds in expectation, for a set of states that a policy
// never leaves, and for the state of largest w of all.

// FactoringOf returns how a spec's runs in env factor D.
func FactoringOf(env Env, spec schema.Spec) Factoring {
	switch {
	case spec.Numerics < 2:
		return Jacobi
	case spec.FeatureScale == schema.RMS:
		return Scaled
	case hasWholeFeatures(env, spec):
		return Gram
	}
	return Reduced
}

// hasWholeFeatures reports whether features are whole numbers, as those of all built-in
// environments are. Plain rows can be any numbers, and so can the matrix of a method on states.
func hasWholeFeatures(env Env, spec schema.Spec) bool {
	if spec.Method.HasMatrix() || !HasActions(env) {
		return false
	}
	return spec.Env.External == nil || spec.Env.External.Observes != schema.Real
}

// leastTolerance is far above what rounding makes of numbers that are too small to have all of their
// digits.
const leastTolerance = 0x1p-900

// effectiveTolerance returns the spec's tolerance, but at least the most that rounding alone can
// make of a value of 0, in a model whose actions lead to up to the given number of states.
func effectiveTolerance(spec schema.Spec, w []float64, branches int) float64 {
	largest := uint64(0) // as bits, which have the order of their floats
	for _, x := range w {
		largest = max(largest, math.Float64bits(math.Abs(x)))
	}
	steps, least := 4.0, 0.0
	if spec.Numerics >= 2 {
		steps, least = float64(4*(2+branches)), leastTolerance
	}
	noise := float64(float64(steps*epsilon)*math.Float64frombits(largest)) / (1 - spec.Gamma)
	return max(spec.Tolerance, noise, least)
}

// tieTolerance returns the difference up to which actions tie. The vectors of the
// successor representation fall by a factor with each step away from where the agent was,
// soon far below any tolerance, within which staying at a wall would tie with going on; so
// only equal values tie there, as with numerics version 2.
func tieTolerance(spec schema.Spec, tolerance float64) float64 {
	if m, _, _ := methods.Newest(string(spec.Method)); m.smallValues || spec.Numerics >= 2 {
		return 0
	}
	return tolerance
}
