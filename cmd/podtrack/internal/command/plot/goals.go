package plot

import (
	"context"

	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/schema"
)

// plotGoals draws a recorded evaluation of many tasks.
func plotGoals(ctx context.Context, q request, _ picture) (figure.Figure, error) {
	run, shown, k, err := evaluatedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	s, e, err := evaluate.OpenMany(ctx, q.store, run, evaluate.Recorded{Iteration: k, Prefix: textOr(q.evaluation, "")})
	if err != nil {
		return nil, err
	}
	var sum evaluate.Summing
	if err := sum.Add(s, e, true, shown.Label()); err != nil {
		return nil, err
	}
	f, err := figure.NewGoals(s, sum.Summary(), textOr(q.measure, "early"), textOr(q.against, schema.AgainstPrimitives))
	return figure.WithRuns(f, shown), err
}
