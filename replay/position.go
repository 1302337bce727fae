package replay

import "github.com/podtrack/podtrack/pod"

// Positions says where each step of a walk leads, visited in order: along a line that
// is not wrapped round, or else how far from the state that the walk, or its episode,
// began in. It is nil where the environment says neither.
func Positions(env pod.Env) func(Step) int64 {
	if line, ok := pod.As[pod.Line](env); ok {
		x := int64(0)
		return func(s Step) int64 {
			x += line.Offset(s.Action)
			return x
		}
	}
	r := NewRuler(env)
	if r == nil {
		return nil
	}
	episodes, begins := pod.HasEpisodes(env), true
	return func(s Step) int64 {
		if begins || episodes && s.T == 0 {
			r.Begin(s.State)
		}
		begins = s.Resets
		return r.To(s.Next)
	}
}

// Ruler says how far states are from where a walk, or an episode, began.
type Ruler struct {
	metric pod.Metric
	known  map[int][]int32 // distances by the state that they are from
	room   int             // numbers that may still be kept in known
	from   []int32
}

// maxRuler is how many distances a ruler keeps: 16 MiB of them.
const maxRuler = 1 << 22

// NewRuler is nil where the environment does not say how far apart its states are.
func NewRuler(env pod.Env) *Ruler {
	m, ok := pod.As[pod.Metric](env)
	if !ok {
		return nil
	}
	return &Ruler{metric: m, known: map[int][]int32{}, room: maxRuler}
}

// Begin makes a state the one to measure from.
func (r *Ruler) Begin(state int) {
	from, known := r.known[state]
	if !known {
		from = r.metric.Distances(state)
		if r.room -= len(from); r.room < 0 {
			clear(r.known)
			r.room = maxRuler
		}
		r.known[state] = from
	}
	r.from = from
}

// To is how far a state is from there, in steps.
func (r *Ruler) To(state int) int64 { return int64(r.from[state]) }
