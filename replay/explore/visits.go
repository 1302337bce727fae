package explore

import "slices"

// FirstVisit is when a run visited a state for the first time.
type FirstVisit struct {
	State int   `json:"state"`
	Steps int64 `json:"steps"` // of the run, before it
}

// visits are the visits of a run: of each state the first one, and how many there were in the current
// iteration.
type visits struct {
	ranks  [][]int32    // by state, in pages: its place in first, from 1 on; 0 if it was not visited
	first  []FirstVisit // in order
	counts []int64      // by place: visits in the iteration
	places []int32      // of the states that were visited in the iteration
}

// pageStates is the number of states of a page. Pages without a visited state take no memory.
const pageStates = 1 << 12

// page returns the page of a state.
func (v *visits) page(state int) []int32 {
	at := state / pageStates
	if at >= len(v.ranks) {
		v.ranks = append(v.ranks, make([][]int32, at+1-len(v.ranks))...)
	}
	if v.ranks[at] == nil {
		v.ranks[at] = make([]int32, pageStates)
	}
	return v.ranks[at]
}

// add counts a visit after so many steps of the run.
func (v *visits) add(state int, steps int64) {
	page := v.page(state)
	rank := page[state%pageStates]
	if rank == 0 {
		v.first = append(v.first, FirstVisit{state, steps})
		v.counts = append(v.counts, 0)
		rank = int32(len(v.first))
		page[state%pageStates] = rank
	}
	if v.counts[rank-1] == 0 {
		v.places = append(v.places, rank-1)
	}
	v.counts[rank-1]++
}

// endIteration returns how often the states were visited in the iteration, in ascending order, and
// begins the next one.
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
