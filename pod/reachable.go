package pod

// CountReachable returns the number of states that a walk in env can visit if it begins in state
// from or where an episode begins, and whether it is known: only a simulated env is. It makes one
// step per state and action, and no model; on a line with steps both ways none.
func CountReachable(env Env, from int) (n int64, known bool) {
	e, known := As[SimulatedEnv](env)
	if !known {
		return 0, false
	}
	if line, ok := As[Line](env); ok && stepsBothWays(line, len(e.Actions())) {
		return int64(e.States()), true
	}
	seen, stack := NewVisitedSet(e.States()), []int32(nil)
	visit := func(s int) {
		if seen.Add(s) {
			stack = append(stack, int32(s))
		}
	}
	visit(from)
	episodic, hasEpisodes := As[Episodic](env)
	if hasEpisodes {
		for _, s := range episodic.StartStates() {
			visit(s)
		}
	}
	actions := len(e.Actions())
	for len(stack) > 0 {
		s := int(stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		if hasEpisodes && episodic.IsTerminal(s) {
			continue
		}
		for a := range actions {
			visit(e.Step(s, a))
		}
	}
	return seen.Len(), true
}

// stepsBothWays reports whether actions lead to both neighbours of every state of a line.
func stepsBothWays(line Line, actions int) bool {
	left, right := false, false
	for a := range actions {
		left, right = left || line.Offset(a) == -1, right || line.Offset(a) == 1
	}
	return left && right
}
