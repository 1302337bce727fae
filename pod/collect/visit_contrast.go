package collect

import "github.com/podtrack/podtrack/pod/envs"

// visitTally is the number of visits by state.
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
	contrast, visits, states := make([]float64, t.env.States()), 0.0, 0.0
	if !envs.HasStateFeatures(t.env) {
		contrast = make([]float64, len(t.env.Features()))
	}
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
		case envs.HasStateFeatures(t.env):
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
