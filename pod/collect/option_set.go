package collect

import (
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// An OptionSet has the options of an action set by their numbers.
type OptionSet struct {
	First    int              // number of Options[0]; those before it are no longer in the action set
	Options  []*schema.Option // in option order
	LeaveOut []uint64         // numbers of options that are not in the action set
}

// End returns the number of the next option.
func (o OptionSet) End() int { return o.First + len(o.Options) }

// At returns the option of a number from First to End.
func (o OptionSet) At(number int) *schema.Option { return o.Options[number-o.First] }

// Has reports whether an option of that number is known, left out or not.
func (o OptionSet) Has(number int) bool { return number >= o.First && number < o.End() }

// Contains reports whether the option of that number is in the action set.
func (o OptionSet) Contains(number int) bool { return o.Has(number) && !o.isLeftOut(number-o.First) }

// Available returns the options in the action set, in option order.
func (o OptionSet) Available() []*schema.Option {
	if len(o.LeaveOut) == 0 {
		return o.Options
	}
	var available []*schema.Option
	for i, option := range o.Options {
		if !o.isLeftOut(i) {
			available = append(available, option)
		}
	}
	return available
}

// isLeftOut reports whether Options[i] is left out.
func (o OptionSet) isLeftOut(i int) bool {
	return len(o.LeaveOut) > 0 && slices.Contains(o.LeaveOut, uint64(o.First+i))
}

// countAt returns the number of options in the action set that can start in a state.
func (o OptionSet) countAt(state int) int {
	n := 0
	for i, option := range o.Options {
		if option.CanStart(state) && !o.isLeftOut(i) {
			n++
		}
	}
	return n
}

// nthAt returns the number of the n-th option in the action set that can start in a state, from 0.
func (o OptionSet) nthAt(state, n int) int {
	for i, option := range o.Options {
		if !option.CanStart(state) || o.isLeftOut(i) {
			continue
		}
		if n == 0 {
			return o.First + i
		}
		n--
	}
	panic("pod: fewer options than were counted")
}

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
