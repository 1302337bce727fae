package web

import (
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
)

// Quantities by which a walk can be shown.
const (
	showsPosition = "position" // steps along a line
	showsDistance = "distance" // from the state in which the walk or its episode began
	showsStates   = "states"   // number of states visited so far
)

// showsIn returns the quantity by which walks in an environment are shown.
func showsIn(env pod.Env) string {
	if _, line := pod.As[pod.Line](env); line {
		return showsPosition
	}
	if _, metric := pod.As[pod.Metric](env); metric {
		return showsDistance
	}
	return showsStates
}

// positions is a converter from the states of a walk to numbers.
type positions struct {
	tracker *replay.DistanceTracker // nil if states are counted
	visited pod.VisitedSet
}

// newPositions returns a converter for walks in env.
func newPositions(env pod.Env) *positions {
	p := &positions{tracker: replay.NewDistanceTracker(env)}
	if p.tracker == nil {
		p.visited = pod.NewVisitedSet(env.States())
	}
	return p
}

// begin starts a walk or an episode in a state and returns the number of that state.
func (p *positions) begin(state int) int32 {
	if p.tracker != nil {
		p.tracker.SetOrigin(state)
	}
	return p.at(state)
}

// at returns the number of the walk's next state.
func (p *positions) at(state int) int32 {
	if p.tracker != nil {
		return int32(p.tracker.Distance(state))
	}
	p.visited.Add(state)
	return int32(p.visited.Len())
}

// follow returns the numbers of a record's states.
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
