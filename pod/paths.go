package pod

import "github.com/podtrack/podtrack/schema"

// Never stands for the end, and the steps to it, of a state from which a policy
// never terminates.
const Never = -1

// Follow is, for each state, the number of steps that a policy takes to T and the
// state in which it gets there, or [Never] for both where it runs in a cycle. Every
// state is entered once.
func Follow(m *Model, policy []int8) (steps, ends []int32) {
	const open, onPath = -2, -3
	steps, ends = make([]int32, len(policy)), make([]int32, len(policy))
	for s, a := range policy {
		ends[s] = int32(s)
		if a != schema.Terminate {
			steps[s] = open
		}
	}
	var path []int
	for start := range steps {
		s := start
		for steps[s] == open {
			steps[s] = onPath
			path = append(path, s)
			s = m.Next(s, int(policy[s]))
		}
		n, end := steps[s], ends[s]
		if n == onPath {
			n, end = Never, Never
		}
		for ; len(path) > 0; path = path[:len(path)-1] {
			if n != Never {
				n++
			}
			s := path[len(path)-1]
			steps[s], ends[s] = n, end
		}
	}
	return steps, ends
}
