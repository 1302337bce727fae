package selection

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"math"
)

// RewardRows are the transitions of a model, one for each state and action, by their distinct rows
// of feature differences, of which few features are kept. They give the cos_M of [Similarity] at a
// cost that grows with those, where M has a row and a column for each of many features.
type RewardRows struct {
	start   []int // of row i in features, and one end
	feature []int32
	change  []float64 // times the root of how many transitions have the row
}

// NewRewardRows returns the transitions of the environment's model.
func NewRewardRows(env envs.SimulatedEnv) *RewardRows {
	r := &RewardRows{start: []int{0}}
	row, classes := make([]float64, len(env.Features())), envs.RowClassesOf(env)
	for class, n := range countRowClasses(env.Model(), classes) {
		if n == 0 {
			continue
		}
		classes.RowDifference(class, row)
		root := math.Sqrt(float64(n))
		for f, x := range row {
			if x != 0 {
				r.feature, r.change = append(r.feature, int32(f)), append(r.change, float64(root*x))
			}
		}
		r.start = append(r.start, len(r.feature))
	}
	return r
}

// Image returns the rewards that e gives, in coordinates in which cos_M is the ordinary cosine,
// scaled to length 1, or all zero if it rewards no transition.
func (r *RewardRows) Image(e []float64) []float64 {
	rewards := make([]float64, len(r.start)-1)
	largest := 0.0
	for i := range rewards {
		for at := r.start[i]; at < r.start[i+1]; at++ {
			x := float64(r.change[at] * e[r.feature[at]])
			rewards[i] += x
			largest = max(largest, math.Abs(x))
		}
	}
	length := linalg.Norm(rewards)
	if length <= float64(relativeNoise*largest) {
		return make([]float64, len(rewards))
	}
	for i := range rewards {
		rewards[i] /= length
	}
	return rewards
}
