package task

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// RandomOptions returns n options that a learner learns for random purposes: the baseline for options without a
// meaning, learned like those of the run. Purposes come in both signs, as eigenpurposes do.
func RandomOptions(
	ctx context.Context, env envs.Env, learner learn.OptionLearner, n int, stream *rng.Stream,
) ([]*schema.Option, error) {
	features := len(env.Features())
	var options []*schema.Option
	for j := 1; len(options) < n; j++ {
		plus := randomDirection(features, stream)
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

// randomDirection returns a vector of length 1, drawn in a cube and scaled.
func randomDirection(dims int, stream *rng.Stream) []float64 {
	const half = 1 << 52
	v := make([]float64, dims)
	for linalg.Norm(v) == 0 {
		for i := range v {
			v[i] = float64(int64(stream.BelowBound(2*half))-half) / half
		}
	}
	length := linalg.Norm(v)
	for i, x := range v {
		v[i] = x / length
	}
	return v
}
