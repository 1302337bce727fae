package explore

import "github.com/podtrack/podtrack/replay"

// Follow returns a function that takes the steps of a walk in order and calls visit with each state
// that the agent comes to, and the number of steps before that: the state before the first step, the
// state after each step, and where the walk goes on elsewhere, as a new episode does, the state from
// which it does. The state after a reset that no step follows is left to the caller.
func Follow(visit func(state int, steps int64)) func(replay.Step) {
	at := -1
	return func(s replay.Step) {
		if s.State != at {
			visit(s.State, s.T)
		}
		visit(s.Next, s.T+1)
		if at = s.Next; s.Resets {
			at = -1
		}
	}
}
