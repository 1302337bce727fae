package experience

import (
	"maps"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// A RewardTally counts recorded steps with their rewards: the frequency and mean reward of each transition, the starts
// of episodes, and the lengths of truncated ones.
type RewardTally struct {
	moves  map[envs.Transition]rewardedCount
	starts map[int32]int64

	truncated int64 // most steps of a truncated episode
	steps     int64 // of the unfinished episode
}

// rewardedCount is how often a transition was observed, and the mean of its rewards.
type rewardedCount struct {
	count int64
	mean  float64
}

// NewRewardTally returns a tally of no steps.
func NewRewardTally() *RewardTally {
	return &RewardTally{moves: map[envs.Transition]rewardedCount{}, starts: map[int32]int64{}}
}

// Add adds the steps of a recorded chunk, each with its reward. The first chunk of an iteration begins an
// episode. A mean is m + (r − m)/n after the n-th reward r, in the order of the steps, so that it is the
// reward itself where that is always the same.
func (r *RewardTally) Add(env envs.Env, c *schema.Transitions, rewards schema.Rewards, first bool) {
	if first {
		r.steps = 0
		r.starts[int32(c.Start)]++
	}
	steps, _ := envs.As[envs.SteppableEnv](env)
	i := 0
	envs.VisitChunk(steps, c, func(m envs.Transition, resets bool) {
		n := r.moves[m]
		n.count++
		n.mean += (rewards[i] - n.mean) / float64(n.count)
		r.moves[m] = n
		i++
		r.steps++
		if !resets {
			return
		}
		if !m.Terminal {
			r.truncated = max(r.truncated, r.steps)
		}
		r.steps = 0
	})
	for _, e := range c.Episodes {
		r.starts[int32(e.State)]++
	}
}

// sorted returns the transitions in the order of [TransitionCounts], and their mean rewards.
func (r *RewardTally) sorted() (counts envs.TransitionCounts, means []float64) {
	for m, n := range r.moves {
		counts = append(counts, envs.CountedTransition{Transition: m, Count: n.count})
	}
	slices.SortFunc(counts, envs.CompareTransitions)
	for _, c := range counts {
		means = append(means, r.moves[c.Transition].mean)
	}
	return counts, means
}

// sortedStarts returns the states in which episodes began, ascending.
func (r *RewardTally) sortedStarts() []int32 { return slices.Sorted(maps.Keys(r.starts)) }
