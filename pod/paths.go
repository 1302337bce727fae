package pod

import "github.com/podtrack/podtrack/schema"

// Never stands for the end, and the steps to it, of a state from which a policy
// never terminates.
const Never = -1

// Follow is, for each state, the number of steps that a policy takes to T and the
// state in which it gets there, or [Never] for both where it runs in a cycle. Every
// state is entered twice at most.
func Follow(m *Model, policy []int8) (steps, ends []int32) {
	const open, onPath = -2, -3
	next := make([]int32, len(policy))
	steps, ends = make([]int32, len(policy)), make([]int32, len(policy))
	for s, a := range policy {
		ends[s] = int32(s)
		if a != schema.Terminate {
			steps[s], next[s] = open, m.next[s*m.Actions+int(a)]
		}
	}
	for start := range steps {
		length, s := int32(0), int32(start)
		for ; steps[s] == open; s = next[s] {
			steps[s] = onPath
			length++
		}
		n, end := steps[s], ends[s]
		cycle := n < 0
		for s := int32(start); steps[s] == onPath; s = next[s] {
			if steps[s], ends[s] = n+length, end; cycle {
				steps[s], ends[s] = Never, Never
			}
			length--
		}
	}
	return steps, ends
}
