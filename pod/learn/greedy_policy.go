package learn

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// loadValues copies v, computed earlier, into the sweeper.
func (s *sweeper) loadValues(v []float64) {
	copy(s.v, v)
	if !s.Model.Deterministic() {
		s.setRewards()
		return
	}
	s.gatherAll(s.w)
}

// q sets q[a] to the value of each action a in a state, by one more backup of v.
func (s *sweeper) q(state int, q []float64) {
	if !s.Model.Deterministic() {
		for a := range q {
			q[a] = s.expectedBackup(state*s.Model.Actions + a)
		}
		return
	}
	here := s.w[state]
	for a, n := range s.Model.Successors(state) {
		q[a] = s.w[n] - here + float64(s.gamma*s.v[n])
	}
}

// qOf returns q of the actions in a state.
func (s *sweeper) qOf(state int) []float64 {
	q := make([]float64, s.Model.Actions)
	s.q(state, q)
	return q
}

// policy returns the greedy policy. In each state it takes the lowest-numbered action with the largest
// q, or terminates (⊥) if no q exceeds the tolerance, which is at least 0.
func (s *sweeper) policy(tolerance float64) []int8 {
	if !s.Model.Deterministic() {
		return s.expectedPolicy(tolerance, 0)
	}
	policy := make([]int8, s.Model.ScatterStart())
	for first := 0; first < s.Model.Blocks(); first += partBlocks {
		part := min(first+partBlocks, s.Model.Blocks())
		s.markAll(first, part)
		s.backup(first, s.listBlocks(first, part))
		for b := first; b < part; b++ {
			s.chooseGreedy(b, tolerance, policy[b*envs.BlockStates:(b+1)*envs.BlockStates])
		}
	}
	return policy[:s.Model.States]
}

// chooseGreedy sets the policy in the states of block b. The backup before it has set s.next to the
// largest q of each of them, or to 0 if that is larger.
func (s *sweeper) chooseGreedy(b int, tolerance float64, policy []int8) {
	first, offsets := b*envs.BlockStates, s.Model.OffsetsOf(b)
	here, best := s.w[first:first+envs.BlockStates], s.next[first:first+envs.BlockStates]
	for a := len(offsets) - 1; a >= 0; a-- {
		w, v := s.w[offsets[a]:int(offsets[a])+envs.BlockStates], s.v[offsets[a]:int(offsets[a])+envs.BlockStates]
		for i := range policy[:envs.BlockStates] {
			if w[i]-here[i]+float64(s.gamma*v[i]) >= best[i] {
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

// expectedPolicy returns the policy like policy, also for stochastic models: it counts actions whose q is at most tie
// below the largest as equally good.
func (s *sweeper) expectedPolicy(tolerance, tie float64) []int8 {
	policy, q := make([]int8, s.Model.States), make([]float64, s.Model.Actions)
	for state := range policy {
		s.q(state, q)
		policy[state] = envs.GreedyActionWithTie(q, tolerance, tie)
	}
	return policy
}
