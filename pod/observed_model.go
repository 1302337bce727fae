package pod

import "slices"

// newObservedModel returns the model of the given number of states that the observed
// transitions make. An action that was not tried leads nowhere, and nothing follows a
// transition that ended an episode.
func newObservedModel(states, actions int, transitions TransitionCounts) *Model {
	return newStochasticModel(states, actions, func(s, a int) (branches []Branch) {
		i, _ := slices.BinarySearchFunc(transitions, CountedTransition{Transition: Transition{State: int32(s),
			Action: uint8(a), Next: -1}}, compareTransitions)
		for ; i < len(transitions) && transitions[i].State == int32(s) && transitions[i].Action == uint8(a); i++ {
			branches = append(branches, Branch{Next: transitions[i].Next, Weight: transitions[i].Count,
				Terminal: transitions[i].Terminal})
		}
		return branches
	})
}
