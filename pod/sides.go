package pod

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// tieOfSigns is how near to 0 the number that chooses a sign counts as 0: far above what rounding makes of
// purposes that are orthogonal to the visits.
const tieOfSigns = 0x1p-30

// chooseSigns chooses the sign of each direction: that of the purpose which leads away from where the agent
// often was. It is the one with the lower mean of w over the visits, less the mean over the distinct states
// visited, since w is known only up to a constant: eᵀc is lower, where c is the difference of those means of φ.
// It is + if neither is.
//
// Published code of the ROD cycle takes, of the largest eigenvector of the successor representation, the sign
// with which its entries add up to less than 0 (Machado, Barreto, Precup & Bowling, "Temporal abstraction in
// reinforcement learning with the successor representation", JMLR 24, 2023). All of that vector's entries have
// one sign, and are large where the agent often was, so that this rule chooses the same one; it also chooses
// for other directions, and for features that are no states.
func (c *directionSelector) chooseSigns(seen Seen) error {
	var contrast []float64
	if seen != nil {
		contrast = seen.VisitContrast()
	}
	if len(contrast) < c.f.Features() {
		return fmt.Errorf("%w: visits of %d features choose signs of %d", schema.ErrMalformed, len(contrast),
			c.f.Features())
	}
	directions, tie := NewDirections(c.spec, c.k, c.f), float64(tieOfSigns*norm(contrast))
	for j := range c.directions {
		plus, minus := directions.Signed(j, 1), directions.Signed(j, -1)
		lean := 0.0
		for i, x := range plus {
			lean += float64((x - minus[i]) / 2 * contrast[i])
		}
		c.directions[j].Sign = schema.Plus
		if lean > tie {
			c.directions[j].Sign = schema.Minus
		}
	}
	return nil
}

// visitTally has the numbers of visits by state.
type visitTally []int64

// add counts a visit.
func (v *visitTally) add(s int) {
	if s >= len(*v) {
		*v = append(*v, make([]int64, s+1-len(*v))...)
	}
	(*v)[s]++
}

// CountVisits makes t count the visits of each state, for [TransitionStats.VisitContrast]. It must be called
// before the first chunk.
func (t *TransitionStats) CountVisits() {
	t.visits = make(visitTally, t.env.States())
	if t.env.States() > 0 {
		t.visits.add(t.state)
	}
}

// VisitContrast returns the mean of φ over the visits of the iteration, the states in which it and its
// episodes begin included, less the mean over the distinct states; nil if visits were not counted.
func (t *TransitionStats) VisitContrast() []float64 {
	if t == nil || t.visits == nil {
		return nil
	}
	contrast, visits, states := t.emptyContrast(), 0.0, 0.0
	for _, n := range t.visits {
		if n > 0 {
			visits, states = visits+float64(n), states+1
		}
	}
	phi := make([]float64, len(contrast))
	for s, n := range t.visits {
		weight := float64(n)/visits - 1/states
		switch {
		case n == 0:
		case t.isOnStates():
			contrast[s] = weight
		default:
			t.env.Observe(s, phi)
			for i, x := range phi {
				contrast[i] += float64(weight * x)
			}
		}
	}
	return contrast
}

// isOnStates reports whether each state has a feature of its own, of its number.
func (t *TransitionStats) isOnStates() bool {
	switch t.env.(type) {
	case *tabular, *tabularObservations:
		return true
	}
	return false
}

// emptyContrast returns a 0 for each feature.
func (t *TransitionStats) emptyContrast() []float64 {
	if t.isOnStates() {
		return make([]float64, t.env.States())
	}
	return make([]float64, len(t.env.Features()))
}
