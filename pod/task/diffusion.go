package task

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// Advice of the errors of this file.
const (
	AdviceNoDiffusion = "do not compute the diffusion time: not every state leads to every other one"
	AdviceSmallerEnv  = "evaluate a smaller environment, or do not compute the diffusion time"
)

// Diffusion is the diffusion time of an action set: how long its uniformly random policy
// takes from one state to another, in decisions and in steps. It is the expectation,
// averaged over all ordered pairs of distinct states. A state is reached when the agent
// enters it, also while it executes an option. A step that does not change the state
// counts.
//
// The notion is that of Machado, Bellemare & Bowling, "A Laplacian framework for option
// discovery in reinforcement learning" (ICML 2017).
type Diffusion struct {
	Decisions float64 `json:"decisions"`
	Steps     float64 `json:"steps"`
}

// maxDiffusionStates is the largest number of states for which the diffusion time is
// computed: there is one linear system for each state.
const maxDiffusionStates = 1024

// ComputeDiffusion returns the diffusion time of an action set, exact up to rounding. For
// each goal it solves (I − P)h = c over the other states, where P holds the probabilities
// that a decision ends in each of them, and c is 1 or the decision's expected steps. It
// returns [envs.ErrModel] if some state cannot be reached from another, or there are more than
// 1024.
func ComputeDiffusion(ctx context.Context, set ActionSet) (Diffusion, error) {
	n := set.Model.States
	if err := checkDiffusible(set.Model); err != nil {
		return Diffusion{}, err
	}
	models, err := set.choiceModels()
	if err != nil {
		return Diffusion{}, err
	}
	sums := make([]Diffusion, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			choices := newChoiceLists(set, set.isAvailable)
			for goal := int(next.Add(1)) - 1; goal < n && ctx.Err() == nil; goal = int(next.Add(1)) - 1 {
				sums[goal] = choices.expectedTimes(models, goal)
			}
		})
	}
	workers.Wait()
	var d Diffusion
	for _, sum := range sums {
		d.Decisions, d.Steps = d.Decisions+sum.Decisions, d.Steps+sum.Steps
	}
	pairs := float64(n) * float64(max(n-1, 1))
	return Diffusion{d.Decisions / pairs, d.Steps / pairs}, ctx.Err()
}

// checkDiffusible returns an error unless every state can be reached from every other one.
func checkDiffusible(m *envs.Model) error {
	if m.States > maxDiffusionStates {
		return schema.Hint(fmt.Errorf("%w has %d states; a diffusion time is computed for up to %d", envs.ErrModel,
			m.States, maxDiffusionStates), AdviceSmallerEnv)
	}
	from, to := slices.Index(m.StepsTo(0), envs.Never), 0
	if from < 0 {
		from, to = 0, slices.Index(m.StepsFrom(0), envs.Never)
	}
	if to < 0 {
		return nil
	}
	return schema.Hint(fmt.Errorf("%w: no path leads from state %d to state %d, so a random walk never gets there",
		envs.ErrModel, from, to), AdviceNoDiffusion)
}

// expectedTimes returns the expected time to a goal, summed over all states.
func (c choiceLists) expectedTimes(models []choiceModel, goal int) (sum Diffusion) {
	n := c.Model.States
	rows := make([][]float64, n)
	for s := range rows {
		rows[s] = make([]float64, n+2)
		rows[s][s] = 1
		if s == goal {
			continue
		}
		available := c.in(s)
		rows[s][n] = 1
		share := 1 / float64(len(available)) // of the decisions
		for _, choice := range available {
			step := models[choice](s, goal)
			for _, end := range step.outcomes {
				if end.state != goal {
					rows[s][end.state] -= float64(share * end.p)
				}
			}
			rows[s][n+1] += float64(share * step.steps)
		}
	}
	linalg.SolveDominant(rows)
	for _, row := range rows {
		sum.Decisions, sum.Steps = sum.Decisions+row[n], sum.Steps+row[n+1]
	}
	return sum
}
