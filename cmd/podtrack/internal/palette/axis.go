package palette

import (
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// Axis is how states are laid out along a line.
type Axis struct {
	Label string
	First int // the leftmost state's number; the others follow
}

// StateAxis returns the axis of an environment's states. A ring is cut opposite its coordinate 0, so
// that state s of n is at s, or at s − n from the middle on; elsewhere state s is at s.
func StateAxis(env envs.Env) Axis {
	if _, ok := envs.As[*envs.Ring](env); ok {
		return Axis{Label: "state (coordinate on the ring)", First: -(env.States() / 2)}
	}
	return Axis{Label: "state"}
}

// PlaceOf returns where a state of n stands on the axis.
func (a Axis) PlaceOf(state, n int) int {
	if state >= n+a.First {
		return state - n
	}
	return state
}

// Window is a range of an axis of states, both ends included.
type Window struct{ From, To int }

// Limits of a ring's window: some periods of the bit of largest weight, few enough to tell single states apart.
const (
	windowPeriods   = 4
	minWindowStates = 64
	maxWindowStates = 256
)

// FirstWindow returns the part of the axis to show at first of an option. On a ring that is four periods of the bit of
// largest weight, of 64 to 256 states, around coordinate 0, or around the nearest state that the option can start in if
// it can start in none of the middle half; elsewhere all states.
func FirstWindow(env envs.Env, o *schema.Option) Window {
	first, size := StateAxis(env).First, env.States()
	vector := o.Purpose.Vector
	circle, ok := envs.As[*envs.Ring](env)
	if !ok {
		return Window{first, first + size - 1}
	}
	strongest := 0
	for i, x := range vector {
		if math.Abs(x) > math.Abs(vector[strongest]) {
			strongest = i
		}
	}
	shown := min(max(windowPeriods*circle.Period(strongest), minWindowStates), maxWindowStates, size)
	centre := nearestStart(o)
	if max(centre, -centre) < shown/4 {
		centre = 0
	}
	from := min(max(centre-shown/2, first), first+size-shown)
	return Window{from, from + shown - 1}
}

// nearestStart returns the coordinate next to 0 on a ring in which an option can start, 0 for none.
func nearestStart(o *schema.Option) int {
	n := len(o.Policy)
	for distance := range n/2 + 1 {
		for _, at := range []int{distance, -distance} {
			if o.CanStart((at + n) % n) {
				return at
			}
		}
	}
	return 0
}
