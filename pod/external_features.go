package pod

import (
	"math"

	"github.com/podtrack/podtrack/schema"
)

// Observe implements [Env].
func (e *External) Observe(s int, dst []float64) {
	switch o := e.observations[s]; e.declaration.Observes {
	case schema.Discrete:
		clear(dst)
		dst[e.discreteNumber(s)] = 1
	case schema.Binary:
		for i := range dst {
			dst[i] = float64(o[i/8] >> (i % 8) & 1)
		}
	case schema.Real:
		for i := range dst {
			b := uint64(0)
			for j := range 8 {
				b |= uint64(o[8*i+j]) << (8 * j)
			}
			dst[i] = math.Float64frombits(b)
		}
	}
}

// Potential implements [Env], for as many of the states as w has room for.
func (e *External) Potential(vector, w []float64) {
	row := make([]float64, len(e.features))
	for s := range w {
		w[s] = e.potentialAt(vector, s, row)
	}
}

// potentialAt returns w(s); row is scratch memory for φ(s).
func (e *External) potentialAt(vector []float64, s int, row []float64) float64 {
	if e.declaration.Observes == schema.Discrete {
		return vector[e.discreteNumber(s)]
	}
	e.Observe(s, row)
	sum := 0.0
	for i, x := range row {
		sum += float64(vector[i] * x)
	}
	return sum
}

// ExtendPolicies extends the policies of options to states that were observed after they
// were learned, if weights of features determine their action.
func ExtendPolicies(env Env, options []*schema.Option) {
	e, grows := env.(*External)
	if !grows {
		return
	}
	row, q := make([]float64, len(e.features)), make([]float64, len(e.declaration.Actions))
	for _, o := range options {
		for s := len(o.Policy); o.Theta != nil && s < e.States(); s++ {
			for a := range q {
				weights := o.Theta.ActionWeights(a)
				q[a] = e.potentialAt(weights[1:], s, row) + weights[0]
			}
			o.Policy = append(o.Policy, GreedyAction(q, o.Certificate.Tolerance))
		}
	}
}
