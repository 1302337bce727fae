package learn

import "context"

// runExpected runs sweeps like [sweeper.run], for stochastic models, with the rewards that are set. A state from which
// no action leads keeps its 0.
func (s *sweeper) runExpected(ctx context.Context, sweeps int64) error {
	clear(s.v)
	clear(s.next)
	for changing := true; changing && sweeps > 0; sweeps-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		changing = false
		for _, state := range s.Model.Branches.Active {
			best := 0.0
			for a := range s.Model.Actions {
				best = max(best, s.expectedBackup(int(state)*s.Model.Actions+a))
			}
			changing = changing || best != s.v[state]
			s.next[state] = best
		}
		s.v, s.next = s.next, s.v
	}
	return nil
}

// setRewards sets the reward of every branch to w(s') − w(s).
func (s *sweeper) setRewards() {
	c := s.Model.Branches
	if len(s.reward) == 0 {
		s.reward = make([]float64, len(c.Next))
	}
	for edge := range len(c.From) - 1 {
		here := s.w[edge/s.Model.Actions]
		for i := c.From[edge]; i < c.From[edge+1]; i++ {
			s.reward[i] = s.w[c.Next[i]] - here
		}
	}
}

// expectedBackup returns one backup of v for a state and action,
//
//	Σ p(s') [r(s,a,s') + γ v(s')],
//
// summed in the order of s', without v(s') if the episode ends there. It returns 0, the
// value of ⊥, for an action without successors.
func (s *sweeper) expectedBackup(edge int) float64 {
	c, q := s.Model.Branches, 0.0
	for i := c.From[edge]; i < c.From[edge+1]; i++ {
		value := s.reward[i]
		if !c.Terminal[i] {
			value += float64(s.gamma * s.v[c.Next[i]])
		}
		q += float64(c.P[i] * value)
	}
	return q
}
