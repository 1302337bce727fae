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
func (s OptionSet) End() int { return s.First + len(s.Options) }

// At returns the option of a number from First to End.
func (s OptionSet) At(number int) *schema.Option { return s.Options[number-s.First] }

// Has reports whether an option of that number is known, left out or not.
func (s OptionSet) Has(number int) bool { return number >= s.First && number < s.End() }

// Contains reports whether the option of that number is in the action set.
func (s OptionSet) Contains(number int) bool { return s.Has(number) && !s.isLeftOut(number-s.First) }

// Available returns the options in the action set, in option order.
func (s OptionSet) Available() []*schema.Option {
	if len(s.LeaveOut) == 0 {
		return s.Options
	}
	var available []*schema.Option
	for i, option := range s.Options {
		if !s.isLeftOut(i) {
			available = append(available, option)
		}
	}
	return available
}

// isLeftOut reports whether Options[i] is left out.
func (s OptionSet) isLeftOut(i int) bool {
	return len(s.LeaveOut) > 0 && slices.Contains(s.LeaveOut, uint64(s.First+i))
}

// countAt returns the number of options in the action set that can start in a state.
func (s OptionSet) countAt(state int) int {
	n := 0
	for i, option := range s.Options {
		if option.CanStart(state) && !s.isLeftOut(i) {
			n++
		}
	}
	return n
}

// nthAt returns the number of the n-th option in the action set that can start in a state, from 0.
func (s OptionSet) nthAt(state, n int) int {
	for i, option := range s.Options {
		if !option.CanStart(state) || s.isLeftOut(i) {
			continue
		}
		if n == 0 {
			return s.First + i
		}
		n--
	}
	panic("pod: fewer options than were counted")
}
