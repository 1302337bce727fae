package task

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// RandomOptions returns n options that a learner learns for random purposes, drawn as those of the basis random are:
// the baseline for options without a meaning, learned like those of the run. Purposes come in both signs, as
// eigenpurposes do.
func RandomOptions(
	ctx context.Context, env envs.Env, learner learn.OptionLearner, n int, stream *rng.Stream,
) ([]*schema.Option, error) {
	features := len(env.Features())
	var options []*schema.Option
	for j := 1; len(options) < n; j++ {
		plus := selection.IsotropicDirection(features, stream)
		minus := make([]float64, len(plus))
		for i, x := range plus {
			minus[i] = 0 - x
		}
		for _, p := range []schema.Purpose{{J: j, Sign: 1, Vector: plus}, {J: j, Sign: -1, Vector: minus}} {
			o, _, err := learner.Learn(ctx, p)
			if err != nil {
				return nil, fmt.Errorf("a random option: %w", err)
			}
			options = append(options, o)
		}
	}
	return options[:n], nil
}
