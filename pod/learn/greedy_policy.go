package learn

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// loadValues copies v, computed earlier, into the sweeper.
func (sw *sweeper) loadValues(v []float64) {
	copy(sw.v, v)
	if !sw.Model.Deterministic() {
		sw.setRewards()
		return
	}
	sw.gatherAll(sw.w)
}

// q sets q[a] to the value of each action a in a state, by one more backup of v.
func (sw *sweeper) q(state int, q []float64) {
	if !sw.Model.Deterministic() {
		for a := range q {
			q[a] = sw.expectedBackup(state*sw.Model.Actions + a)
		}
		return
	}
	here := sw.w[state]
	for a, n := range sw.Model.Successors(state) {
		q[a] = sw.w[n] - here + float64(sw.gamma*sw.v[n])
	}
}

// policy returns the greedy policy. In each state it takes the lowest-numbered action with the largest
// q, or terminates (⊥) if no q exceeds the tolerance, which is at least 0.
func (sw *sweeper) policy(tolerance float64) []int8 {
	if !sw.Model.Deterministic() {
		return sw.expectedPolicy(tolerance, 0)
	}
	policy := make([]int8, sw.Model.ScatterStart())
	for first := 0; first < sw.Model.Blocks(); first += partBlocks {
		part := min(first+partBlocks, sw.Model.Blocks())
		sw.markAll(first, part)
		sw.backup(first, sw.listBlocks(first, part))
		for b := first; b < part; b++ {
			sw.chooseGreedy(b, tolerance, policy[b*envs.BlockStates:(b+1)*envs.BlockStates])
		}
	}
	return policy[:sw.Model.States]
}

// chooseGreedy sets the policy in the states of block b. The backup before it has set sw.next to the
// largest q of each of them, or to 0 if that is larger.
func (sw *sweeper) chooseGreedy(b int, tolerance float64, policy []int8) {
	first, offsets := b*envs.BlockStates, sw.Model.OffsetsOf(b)
	here, best := sw.w[first:first+envs.BlockStates], sw.next[first:first+envs.BlockStates]
	for a := len(offsets) - 1; a >= 0; a-- {
		w, v := sw.w[offsets[a]:int(offsets[a])+envs.BlockStates], sw.v[offsets[a]:int(offsets[a])+envs.BlockStates]
		for i := range policy[:envs.BlockStates] {
			if w[i]-here[i]+float64(sw.gamma*v[i]) >= best[i] {
				policy[i] = int8(a)
			}
		}
	}
	for i, q := range best {
		if !(q > tolerance) {
			policy[i] = schema.Terminate
		}
	}
}

// expectedPolicy is like policy, but also works for stochastic models, and counts actions whose q is at
// most tie below the largest as equally good.
func (sw *sweeper) expectedPolicy(tolerance, tie float64) []int8 {
	policy, q := make([]int8, sw.Model.States), make([]float64, sw.Model.Actions)
	for state := range policy {
		sw.q(state, q)
		policy[state] = envs.GreedyActionWithTie(q, tolerance, tie)
	}
	return policy
}
