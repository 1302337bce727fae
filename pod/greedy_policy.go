package pod

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// loadValues sets v to values that were computed before.
func (sw *sweeper) loadValues(v []float64) {
	copy(sw.v, v)
	if !sw.model.Deterministic() {
		sw.setRewards()
		return
	}
	sw.gatherAll(sw.w)
}

// q sets q to one more backup of v in state s, one entry for each action.
func (sw *sweeper) q(s int, q []float64) {
	if !sw.model.Deterministic() {
		for a := range q {
			q[a] = sw.expectedBackup(s*sw.model.Actions + a)
		}
		return
	}
	here := sw.w[s]
	for a, n := range sw.model.successors(s) {
		q[a] = sw.w[n] - here + float64(sw.gamma*sw.v[n])
	}
}

// policy returns, for each state, the lowest of the actions with the greatest q, or ⊥ if no q exceeds
// the tolerance, which is at least 0.
func (sw *sweeper) policy(tolerance float64) []int8 {
	if !sw.model.Deterministic() {
		return sw.expectedPolicy(tolerance, 0)
	}
	policy := make([]int8, sw.model.scatterStart())
	for first := 0; first < sw.model.blocks(); first += partBlocks {
		part := min(first+partBlocks, sw.model.blocks())
		sw.markAll(first, part)
		sw.backup(first, sw.listBlocks(first, part))
		for b := first; b < part; b++ {
			sw.chooseGreedy(b, tolerance, policy[b*blockStates:(b+1)*blockStates])
		}
	}
	return policy[:sw.model.States]
}

// chooseGreedy sets the policy in block b, where next is the best q if that is above 0.
func (sw *sweeper) chooseGreedy(b int, tolerance float64, policy []int8) {
	first, offsets := b*blockStates, sw.model.offsetsOf(b)
	here, best := sw.w[first:first+blockStates], sw.next[first:first+blockStates]
	for a := len(offsets) - 1; a >= 0; a-- {
		w, v := sw.w[offsets[a]:int(offsets[a])+blockStates], sw.v[offsets[a]:int(offsets[a])+blockStates]
		for i := range policy[:blockStates] {
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

// expectedPolicy returns, for each state of any model, the lowest action whose q is at most tie less
// than the best one, or ⊥ if no q exceeds the tolerance.
func (sw *sweeper) expectedPolicy(tolerance, tie float64) []int8 {
	policy, q := make([]int8, sw.model.States), make([]float64, sw.model.Actions)
	for s := range policy {
		sw.q(s, q)
		policy[s] = greedyActionWithTie(q, tolerance, tie)
	}
	return policy
}

func greedyActionWithTie(q []float64, tolerance, tie float64) int8 {
	best := slices.Max(q)
	if !(best > tolerance) {
		return schema.Terminate
	}
	return int8(slices.IndexFunc(q, func(x float64) bool { return x >= best-tie }))
}
