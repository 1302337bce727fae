package collect

import (
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
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
	if t.ring != nil {
		m.Distance, m.Final, m.DistanceOneSided = new(max(t.high, -t.low)), new(max(t.x, -t.x)), new(t.high)
	}
	if t.distance != nil {
		m.Distance, m.Final = new(int64(t.distance.farthest)), new(int64(t.distance.last))
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

// A distanceTracker measures how far the agent gets from the state in which it, or its
// episode, started.
type distanceTracker struct {
	metric   envs.Metric
	origin   int
	from     []int32 // distances from origin
	farthest int32
	last     int32
}

func (d *distanceTracker) beginEpisode(s int) {
	if d.from == nil || s != d.origin {
		d.origin, d.from = s, d.metric.Distances(s)
	}
	d.last = 0
}

func (d *distanceTracker) step(next int) {
	d.last = d.from[next]
	d.farthest = max(d.farthest, d.last)
}
