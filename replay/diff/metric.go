package diff

import (
	"context"
	"sync"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/selection"
)

// A metric compares purposes by their intrinsic rewards, and has the chance level of that comparison.
type metric struct {
	*selection.Similarity
	levels *sync.Map // of sizes to their [ChanceLevel], shared by metrics of the same M
}

// newModelMetric returns the metric over all transitions of the environment's model, one for each
// state and action.
func newModelMetric(ctx context.Context, env envs.SimulatedEnv) (*metric, error) {
	return newMetric(ctx, len(env.Features()), selection.ModelTransitions(env))
}

func newMetric(ctx context.Context, dims int, transitions selection.Transitions) (*metric, error) {
	s, err := selection.NewSimilarity(ctx, dims, transitions)
	if err != nil {
		return nil, err
	}
	levels, _ := chanceLevels.LoadOrStore(s.Digest(), &sync.Map{})
	return &metric{Similarity: s, levels: levels.(*sync.Map)}, nil
}

var chanceLevels sync.Map // by the SHA-256 of M's root: a *sync.Map of sizes to their [ChanceLevel]
