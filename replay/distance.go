package replay

import "github.com/podtrack/podtrack/pod"

// NewPositionFunc says where each step of a walk leads, visited in order: along a line that
// is not wrapped round, or else how far from the state that the walk, or its episode,
// began in. It is nil where the environment says neither.
func NewPositionFunc(env pod.Env) func(Step) int64 {
	if line, ok := pod.As[pod.Line](env); ok {
		x := int64(0)
		return func(s Step) int64 {
			x += line.Offset(s.Action)
			return x
		}
	}
	r := NewDistanceTracker(env)
	if r == nil {
		return nil
	}
	episodes, begins := pod.HasEpisodes(env), true
	return func(s Step) int64 {
		if begins || episodes && s.T == 0 {
			r.SetOrigin(s.State)
		}
		begins = s.Resets
		return r.Distance(s.Next)
	}
}

// DistanceTracker says how far states are from where a walk, or an episode, began.
type DistanceTracker struct {
	metric    pod.Metric
	known     map[int][]int32 // distances by the state that they are from
	free      int             // numbers that may still be kept in known
	distances []int32
}

// maxDistances is how many distances a ruler keeps: 16 MiB of them.
const maxDistances = 1 << 22

// NewDistanceTracker is nil where the environment does not say how far apart its states are.
func NewDistanceTracker(env pod.Env) *DistanceTracker {
	m, ok := pod.As[pod.Metric](env)
	if !ok {
		return nil
	}
	return &DistanceTracker{metric: m, known: map[int][]int32{}, free: maxDistances}
}

// Begin makes a state the one to measure from.
func (r *DistanceTracker) SetOrigin(state int) {
	from, known := r.known[state]
	if !known {
		from = r.metric.Distances(state)
		if r.free -= len(from); r.free < 0 {
			clear(r.known)
			r.free = maxDistances
		}
		r.known[state] = from
	}
	r.distances = from
}

// To is how far a state is from there, in steps.
func (r *DistanceTracker) Distance(state int) int64 { return int64(r.distances[state]) }
