package returns

import (
	"math"
	"slices"
)

// Summary holds what the agent earned in a run, by iteration. It has no iterations if the environment declares no
// reward.
type Summary struct {
	Iterations []Iteration `json:"iterations"`
}

// Iteration holds what the agent earned in iteration K.
type Iteration struct {
	K        int   `json:"k"`
	Episodes int64 `json:"episodes"` // that ended in it

	// Over the episodes that ended in it; nil if none did.
	MeanReturn   *float64 `json:"mean_return"`
	MedianReturn *float64 `json:"median_return"`
	LastReturn   *float64 `json:"last_return"`
	EpisodeSteps *float64 `json:"episode_steps"` // mean number of steps

	MeanReward *float64 `json:"mean_reward"` // of all steps
}

// earnings adds up the rewards of an iteration, step by step.
type earnings struct {
	steps, stepsOfEnded int64
	total               float64
	current             float64 // of the unfinished episode
	returns             []float64
	begun               int64 // steps before the unfinished episode
}

// add adds the reward of a step. ends reports whether the step ended an episode.
func (e *earnings) add(reward float64, ends bool) {
	e.steps++
	e.total += reward
	if e.current += reward; !ends {
		return
	}
	e.returns = append(e.returns, e.current)
	e.stepsOfEnded += e.steps - e.begun
	e.current, e.begun = 0, e.steps
}

// iteration returns what was earned.
func (e *earnings) iteration(k int) Iteration {
	it := Iteration{K: k, Episodes: int64(len(e.returns))}
	if e.steps > 0 {
		it.MeanReward = finite(e.total / float64(e.steps))
	}
	if len(e.returns) == 0 {
		return it
	}
	n, sum := float64(len(e.returns)), 0.0
	for _, r := range e.returns {
		sum += r
	}
	it.MeanReturn, it.LastReturn = finite(sum/n), finite(e.returns[len(e.returns)-1])
	it.EpisodeSteps = finite(float64(e.stepsOfEnded) / n)
	slices.Sort(e.returns)
	it.MedianReturn = finite((e.returns[(len(e.returns)-1)/2] + e.returns[len(e.returns)/2]) / 2)
	return it
}

// finite returns x, nil if it is not finite.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
