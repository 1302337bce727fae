package collect

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// OptionUsage returns the usage of each known option, in option order, as if the iteration ended
// here.
func (t *TransitionStats) OptionUsage() []Usage {
	uses := t.usage
	t.usage = slices.Clone(uses)
	t.countTruncated()
	uses, t.usage = t.usage, uses
	return uses
}

// Measures returns the iteration's measures, given the number of directions that it
// selected and of options that it made.
func (t *TransitionStats) Measures(purposes, options int) schema.Measures {
	available := t.options.Available()
	m := schema.Measures{
		Purposes:      int64(purposes),
		Options:       int64(options),
		Available:     int64(len(available)),
		Reach:         meanPathLength(available),
		StatesVisited: t.visited.Len(),
	}
	var steps int64
	for _, u := range t.OptionUsage() {
		m.Calls += u.Calls
		m.Truncated += u.Truncated
		steps += u.Steps
	}
	if m.Calls > 0 {
		m.OptionLength = new(float64(steps) / float64(m.Calls))
	}
	if x := t.position; x != nil {
		m.Distance, m.Final = new(t.high), new(x.At)
		if x.ring != nil {
			m.Distance, m.Final, m.DistanceOneSided = new(max(t.high, -t.low)), new(max(x.At, -x.At)), new(t.high)
		}
	}
	return m
}

// meanPathLength returns the mean of the options' mean path lengths, nil if none has one.
func meanPathLength(options []*schema.Option) *float64 {
	sum, n := 0.0, 0
	for _, o := range options {
		if r := o.Certificate.Reach; r != nil {
			sum += *r
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return new(sum / float64(n))
}
