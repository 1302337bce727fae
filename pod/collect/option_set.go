package collect

import (
	"slices"

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
