package pod

import "github.com/podtrack/podtrack/schema"

// A weightTable has the weights of a linear q with those of all actions beside each other, so that the
// values of four actions are added up at a time. Each sum has the order that it would have alone.
type weightTable struct {
	actions int
	stride  int       // actions, rounded up to a multiple of four
	weights []float64 // by weight and action
}

func newWeightTable(actions, width int) weightTable {
	stride := (actions + 3) / 4 * 4
	return weightTable{actions: actions, stride: stride, weights: make([]float64, width*stride)}
}

// tableOfTheta returns the weights as a table.
func tableOfTheta(theta schema.Theta) weightTable {
	t := newWeightTable(theta.Actions, theta.Width)
	for a := range theta.Actions {
		for w, x := range theta.ActionWeights(a) {
			t.weights[w*t.stride+a] = x
		}
	}
	return t
}

// theta returns the weights by action.
func (t weightTable) theta() schema.Theta {
	theta := schema.NewTheta(t.actions, len(t.weights)/t.stride-1)
	for a := range t.actions {
		weights := theta.ActionWeights(a)
		for w := range weights {
			weights[w] = t.weights[w*t.stride+a]
		}
	}
	return theta
}

// q sets dst to θ_aᵀφ̃ for all actions.
func (t weightTable) q(terms stateTerms, dst []float64) {
	for a := 0; a < t.actions; a += 4 {
		sums := terms.dotFour(t.weights[a:], t.stride)
		copy(dst[a:], sums[:])
	}
}

// qOf returns θ_aᵀφ̃ for one action.
func (t weightTable) qOf(terms stateTerms, a int) float64 {
	first := a / 4 * 4
	return terms.dotFour(t.weights[first:], t.stride)[a-first]
}
