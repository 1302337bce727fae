package envs

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// StateTerms are the components of φ̃(s) = (1, φ(s)) that are not 0: the numbers of their weights and
// their values. Weight 0 is the constant's, and the last one; the others rise.
type StateTerms struct {
	Weights []int32
	Values  []float64 // nil if all are 1
}

// Value returns the value of term i.
func (s StateTerms) Value(i int) float64 {
	if s.Values == nil {
		return 1
	}
	return s.Values[i]
}

// Dot returns θᵀφ̃, added up in the order of the terms.
func (s StateTerms) Dot(theta []float64) float64 {
	sum := 0.0
	if s.Values == nil {
		for _, w := range s.Weights {
			sum += theta[w]
		}
		return sum
	}
	for i, w := range s.Weights {
		sum += float64(theta[w] * s.Values[i])
	}
	return sum
}

// dotFour returns the products of the state's features with four vectors. The sums do not depend on each other, so that
// the processor computes them in parallel.
func (s StateTerms) dotFour(thetas [4][]float64) [4]float64 {
	var a, b, c, d float64
	n := len(thetas[0])
	o, p, q, r := thetas[0], thetas[1][:n], thetas[2][:n], thetas[3][:n]
	if s.Values == nil {
		for _, w := range s.Weights {
			a, b, c, d = a+o[w], b+p[w], c+q[w], d+r[w]
		}
		return [4]float64{a, b, c, d}
	}
	for i, w := range s.Weights {
		x := s.Values[i]
		a += float64(o[w] * x)
		b += float64(p[w] * x)
		c += float64(q[w] * x)
		d += float64(r[w] * x)
	}
	return [4]float64{a, b, c, d}
}

// fewTerms is the number of terms up to which adding for one or two actions is faster than for four at once.
const fewTerms = 8

// Q sets dst to θ_aᵀφ̃ of all actions.
func (s StateTerms) Q(theta schema.Theta, dst []float64) {
	last := theta.Actions - 1
	if last <= 1 && len(s.Weights) <= fewTerms {
		for a := range theta.Actions {
			dst[a] = s.Dot(theta.ActionWeights(a))
		}
		return
	}
	for a := 0; a <= last; a += 4 {
		sums := s.dotFour([4][]float64{theta.ActionWeights(a), theta.ActionWeights(min(a+1, last)),
			theta.ActionWeights(min(a+2, last)), theta.ActionWeights(min(a+3, last))})
		copy(dst[a:], sums[:])
	}
}

// qWithConstant sets dst to θ_aᵀφ̃ of all actions, where the terms lack the constant, which is added last.
func (s StateTerms) qWithConstant(theta schema.Theta, dst []float64) {
	s.Q(theta, dst)
	for a := range dst {
		dst[a] += theta.ActionWeights(a)[0]
	}
}

// AddTo adds n times each term to the sum of its weight.
func (s StateTerms) AddTo(sums []float64, n float64) {
	if s.Values == nil {
		for _, w := range s.Weights {
			sums[w] += n
		}
		return
	}
	for i, w := range s.Weights {
		sums[w] += float64(n * s.Values[i])
	}
}

// GreedyAction returns the lowest action whose q is within the tolerance of the best one,
// or ⊥ if no q exceeds the tolerance.
func GreedyAction(q []float64, tolerance float64) int8 {
	return GreedyActionWithTie(q, tolerance, tolerance)
}

func GreedyActionWithTie(q []float64, tolerance, tie float64) int8 {
	best := slices.Max(q)
	if !(best > tolerance) {
		return schema.Terminate
	}
	return int8(slices.IndexFunc(q, func(x float64) bool { return x >= best-tie }))
}
