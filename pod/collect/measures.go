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

// A Position is how far a walk is from the state in which it, or its episode, began: on a ring in signed steps that do
// not wrap around, elsewhere by the distances of the environment.
type Position struct {
	At int64

	ring   *envs.Ring
	metric envs.Metric     // unless it is a ring
	from   []int32         // distances from the state where it began
	known  map[int][]int32 // by that state
	free   int             // number of distances that known may still take
}

// maxDistances is how many distances a position caches: 16 MiB.
const maxDistances = 1 << 22

// NewPosition returns a position, which has to begin; nil if env defines no distance.
func NewPosition(env envs.Env) *Position {
	ring, isRing := envs.As[*envs.Ring](env)
	metric, isMetric := envs.As[envs.Metric](env)
	if !isRing && !isMetric {
		return nil
	}
	return &Position{ring: ring, metric: metric, known: map[int][]int32{}, free: maxDistances}
}

// Begin begins a walk or an episode in a state. On a ring the walk goes on.
func (p *Position) Begin(state int) {
	if p.ring != nil {
		return
	}
	from, known := p.known[state]
	if !known {
		from = p.metric.Distances(state)
		if p.free -= len(from); p.free < 0 {
			clear(p.known)
			p.free = maxDistances
		}
		p.known[state] = from
	}
	p.from, p.At = from, 0
}

// Step takes an action that leads to the next state, and returns the position there.
func (p *Position) Step(action, next int) int64 {
	if p.ring != nil {
		p.At += p.ring.Offset(action)
	} else {
		p.At = int64(p.from[next])
	}
	return p.At
}
