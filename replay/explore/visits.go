package explore

import (
	"math"
	"slices"

	"github.com/podtrack/podtrack/replay/recorded"
)

// FirstVisit is when a run visited a state for the first time.
type FirstVisit struct {
	State int   `json:"state"`
	Steps int64 `json:"steps"` // of the run, before it
}

// visits records, for each state of a run, the first visit and the number of visits in the current iteration.
type visits struct {
	ranks  [][]int32    // by state, in pages: its index in first, plus 1; 0 if not visited
	first  []FirstVisit // in order
	counts []int64      // by index in first: visits in the iteration
	places []int32      // indices of the states visited in the iteration
}

// pageStates is the number of states of a page. Pages without a visited state take no memory.
const pageStates = 1 << 12

// add counts a visit after that many steps of the run.
func (v *visits) add(state int, steps int64) {
	at := state / pageStates
	if at >= len(v.ranks) {
		v.ranks = append(v.ranks, make([][]int32, at+1-len(v.ranks))...)
	}
	if v.ranks[at] == nil {
		v.ranks[at] = make([]int32, pageStates)
	}
	rank := v.ranks[at][state%pageStates]
	if rank == 0 {
		v.first = append(v.first, FirstVisit{state, steps})
		v.counts = append(v.counts, 0)
		rank = int32(len(v.first))
		v.ranks[at][state%pageStates] = rank
	}
	if v.counts[rank-1] == 0 {
		v.places = append(v.places, rank-1)
	}
	v.counts[rank-1]++
}

// endIteration returns the numbers of visits of the iteration's states, ascending, and begins the next iteration.
func (v *visits) endIteration() []int64 {
	counts := make([]int64, len(v.places))
	for i, place := range v.places {
		counts[i] = v.counts[place]
		v.counts[place] = 0
	}
	v.places = v.places[:0]
	slices.Sort(counts)
	return counts
}

// entropyBits returns the entropy of visits, given the positive counts of the states in ascending
// order: log₂ N − Σ c log₂ c / N.
func entropyBits(counts []int64) float64 {
	total, sum := int64(0), 0.0
	for i := 0; i < len(counts); {
		c, same := counts[i], int64(0)
		for ; i < len(counts) && counts[i] == c; i++ {
			same++
		}
		total += c * same
		sum += float64(float64(c*same) * log2(float64(c)))
	}
	if len(counts) < 2 {
		return 0
	}
	return log2(float64(total)) - sum/float64(total)
}

// log2 returns log₂ x of a positive number, the same bits on every machine, which [math.Log2] does
// not promise. It takes x = m·2^e with m from √½ to √2, and ln m = 2·artanh(s) with s = (m−1)/(m+1),
// whose series is summed until s² makes the rest smaller than half a unit in the last place.
func log2(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := (m - 1) / (m + 1)
	square, sum := float64(s*s), 0.0
	for k := 25; k >= 1; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(e) + float64(float64(2*s*sum)/math.Ln2)
}

// Follow returns a function that takes the steps of a walk in order. It calls visit with each state that the agent
// visits and the number of steps before the visit: the state before the first step, the state after each step, and the
// first state of a new episode. If no step follows a reset, the caller must visit the new state.
func Follow(visit func(state int, steps int64)) func(recorded.Step) {
	at := -1
	return func(s recorded.Step) {
		if s.State != at {
			visit(s.State, s.T)
		}
		visit(s.Next, s.T+1)
		if at = s.Next; s.Resets {
			at = -1
		}
	}
}
