package returns

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// measures are the measures of an iteration.
var measures = schema.MeasureTable[*Iteration]{
	{schema.MeasureInfo{Name: "episodes", Title: "episodes", Meaning: "episodes that ended in the iteration"},
		func(it *Iteration) *float64 {
			return new(float64(it.Episodes))
		}},
	{schema.MeasureInfo{Name: "mean_return", Title: "mean return", Unit: "reward",
		Meaning: "mean return of these episodes; the return of an episode is the sum of its rewards, not discounted"},
		func(it *Iteration) *float64 { return it.MeanReturn }},
	{schema.MeasureInfo{Name: "median_return", Title: "median return", Unit: "reward", Meaning: "their median return"},
		func(it *Iteration) *float64 { return it.MedianReturn }},
	{schema.MeasureInfo{Name: "last_return", Title: "last return", Unit: "reward",
		Meaning: "the return of the last of them"},
		func(it *Iteration) *float64 { return it.LastReturn }},
	{schema.MeasureInfo{Name: "episode_steps", Title: "episode steps", Unit: "steps",
		Meaning: "their mean number of steps"},
		func(it *Iteration) *float64 { return it.EpisodeSteps }},
	{schema.MeasureInfo{Name: "mean_reward", Title: "mean reward", Unit: "reward",
		Meaning: "of all steps of the iteration, also those of an episode that did not end"},
		func(it *Iteration) *float64 { return it.MeanReward }},
}

// MeasureInfos describes the measures that [Summary.Get] knows.
func MeasureInfos() []schema.MeasureInfo { return measures.Infos() }

// MeasureNames returns the names that [Summary.Get] knows.
func MeasureNames() []string { return measures.Names() }

// Get returns the named measure of iteration k, nil if it is undefined, and whether there is one of that
// name.
func (s *Summary) Get(name string, k int) (*float64, bool) {
	if k < 0 || k >= len(s.Iterations) {
		return nil, slices.Contains(MeasureNames(), name)
	}
	return measures.Get(name, &s.Iterations[k])
}
