package recorded

import (
	"github.com/podtrack/podtrack/pod/envs"
)

// NewPositionFunc returns a function that maps each step of a walk, visited in order, to the position that it leads to:
// on a ring, in steps that do not wrap around; elsewhere the distance from the state in which the walk or its episode
// began. It returns nil if the environment defines no distance.
func NewPositionFunc(env envs.Env) func(Step) int64 {
	if ring, ok := envs.As[*envs.Ring](env); ok {
		x := int64(0)
		return func(s Step) int64 {
			x += ring.Offset(s.Action)
			return x
		}
	}
	r := newDistanceTracker(env)
	if r == nil {
		return nil
	}
	episodes, begins := envs.HasEpisodes(env), true
	return func(s Step) int64 {
		if begins || episodes && s.T == 0 {
			r.setOrigin(s.State)
		}
		begins = s.Resets
		return r.distance(s.Next)
	}
}

// distanceTracker measures distances from the state in which a walk or an episode began.
type distanceTracker struct {
	metric    envs.Metric
	known     map[int][]int32 // by the state that the distances are measured from
	free      int             // number of distances that known may still take
	distances []int32
}

// maxDistances is how many distances a tracker caches: 16 MiB.
const maxDistances = 1 << 22

// newDistanceTracker returns a tracker, or nil if the environment does not define distances.
func newDistanceTracker(env envs.Env) *distanceTracker {
	m, ok := envs.As[envs.Metric](env)
	if !ok {
		return nil
	}
	return &distanceTracker{metric: m, known: map[int][]int32{}, free: maxDistances}
}

// setOrigin sets the state to measure from.
func (d *distanceTracker) setOrigin(state int) {
	from, known := d.known[state]
	if !known {
		from = d.metric.Distances(state)
		if d.free -= len(from); d.free < 0 {
			clear(d.known)
			d.free = maxDistances
		}
		d.known[state] = from
	}
	d.distances = from
}

// Distance returns the distance of a state from the origin, in steps.
func (d *distanceTracker) distance(state int) int64 { return int64(d.distances[state]) }
