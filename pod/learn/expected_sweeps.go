package learn

import "context"

// runExpected is [sweeper.run] for stochastic models.
func (sw *sweeper) runExpected(ctx context.Context, sweeps int64) error {
	sw.setRewards()
	return sw.iterateExpected(ctx, sweeps)
}

// iterateExpected runs sweeps from v = 0 with the rewards that are set. A state from which
// no action leads keeps its 0.
func (sw *sweeper) iterateExpected(ctx context.Context, sweeps int64) error {
	clear(sw.v)
	clear(sw.next)
	for changing := true; changing && sweeps > 0; sweeps-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		changing = false
		for _, state := range sw.Model.Branches.Active {
			best := 0.0
			for a := range sw.Model.Actions {
				best = max(best, sw.expectedBackup(int(state)*sw.Model.Actions+a))
			}
			changing = changing || best != sw.v[state]
			sw.next[state] = best
		}
		sw.v, sw.next = sw.next, sw.v
	}
	return nil
}

// setRewards sets the reward of every branch to w(s') − w(s).
func (sw *sweeper) setRewards() {
	c := sw.Model.Branches
	if len(sw.reward) == 0 {
		sw.reward = make([]float64, len(c.Next))
	}
	for edge := range len(c.From) - 1 {
		here := sw.w[edge/sw.Model.Actions]
		for i := c.From[edge]; i < c.From[edge+1]; i++ {
			sw.reward[i] = sw.w[c.Next[i]] - here
		}
	}
}

// expectedBackup returns one backup of v for a state and action,
//
//	Σ p(s') [r(s,a,s') + γ v(s')],
//
// summed in the order of s', without v(s') if the episode ends there. It returns 0, the
// value of ⊥, for an action without successors.
func (sw *sweeper) expectedBackup(edge int) float64 {
	c, q := sw.Model.Branches, 0.0
	for i := c.From[edge]; i < c.From[edge+1]; i++ {
		value := sw.reward[i]
		if !c.Terminal[i] {
			value += float64(sw.gamma * sw.v[c.Next[i]])
		}
		q += float64(c.P[i] * value)
	}
	return q
}
