package pod

import "github.com/podtrack/podtrack/schema"

// policy returns, for each state, the lowest action whose q is within the tolerance of the
// best one, or ⊥ if no q exceeds the tolerance, which is at least 0.
func (sw *sweeper) policy(tolerance float64) []int8 { return sw.policyWithTie(tolerance, tolerance) }

// policyWithTie does what [sweeper.policy] does, with a separate tolerance for ties.
func (sw *sweeper) policyWithTie(tolerance, tie float64) []int8 {
	if !sw.model.Deterministic() {
		return sw.expectedPolicyWithTie(tolerance, tie)
	}
	policy := make([]int8, sw.model.scatterStart())
	sw.gatherAll(sw.v)
	for b := range sw.model.blocks() {
		sw.backup(b, everyState)
		sw.chooseGreedy(b, tolerance, tie, policy[b*blockStates:(b+1)*blockStates])
	}
	return policy[:sw.model.States]
}

// chooseGreedy sets the policy in block b, where next is the best q if that is above 0.
func (sw *sweeper) chooseGreedy(b int, tolerance, tie float64, policy []int8) {
	first, offsets := b*blockStates, sw.model.offsetsOf(b)
	here, best := sw.w[first:first+blockStates], sw.next[first:first+blockStates]
	for a := len(offsets) - 1; a >= 0; a-- {
		w, v := sw.w[offsets[a]:int(offsets[a])+blockStates], sw.v[offsets[a]:int(offsets[a])+blockStates]
		for i := range policy[:blockStates] {
			if w[i]-here[i]+float64(sw.gamma*v[i]) >= best[i]-tie {
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
