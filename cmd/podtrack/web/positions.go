package web

import (
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
)

// What a walk is shown by.
const (
	showsPosition = "position" // along a line
	showsDistance = "distance" // from where the walk, or its episode, began
	showsStates   = "states"   // how many were visited so far
)

// showsIn is what walks in an environment are shown by.
func showsIn(env pod.Env) string {
	if _, line := pod.As[pod.Line](env); line {
		return showsPosition
	}
	if _, metric := pod.As[pod.Metric](env); metric {
		return showsDistance
	}
	return showsStates
}

// positions turns the states of a walk into numbers.
type positions struct {
	ruler *replay.DistanceTracker // nil where states are counted
	seen  []uint64
	count int32
}

func newPositions(env pod.Env) *positions {
	p := &positions{ruler: replay.NewDistanceTracker(env)}
	if p.ruler == nil {
		p.seen = make([]uint64, (env.States()+63)/64)
	}
	return p
}

// begin is for the state in which the walk or an episode begins.
func (p *positions) begin(state int) int32 {
	if p.ruler != nil {
		p.ruler.SetOrigin(state)
	}
	return p.at(state)
}

func (p *positions) at(state int) int32 {
	if p.ruler != nil {
		return int32(p.ruler.Distance(state))
	}
	word, bit := &p.seen[state/64], uint64(1)<<(state%64)
	if *word&bit == 0 {
		*word |= bit
		p.count++
	}
	return p.count
}

// follow gives the numbers of a record's states.
func (p *positions) follow(t *track) []int32 {
	shown, resets := make([]int32, len(t.x)), t.resets
	for i, state := range t.x {
		shown[i] = p.at(int(state))
		if len(resets) > 0 && resets[0].at == i+1 {
			p.begin(resets[0].state)
			resets = resets[1:]
		}
	}
	return shown
}
