package grammar

import "github.com/podtrack/podtrack/pod"

// Axis is how states are laid out along a line.
type Axis struct {
	Label string
	First int // what the leftmost state is called; others count on from it
}

// StateAxis returns the axis of an environment's states. A ring is cut opposite its coordinate 0, so
// that state s of n is at s, or at s − n from the middle on; elsewhere state s is at s.
func StateAxis(env pod.Env) Axis {
	if _, ring := pod.As[*pod.Ring](env); ring {
		return Axis{Label: "state (coordinate on the ring)", First: -(env.States() / 2)}
	}
	return Axis{Label: "state"}
}
