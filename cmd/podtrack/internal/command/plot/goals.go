package plot

import (
	"context"

	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/schema"
)

var _ = figure.Register(figure.Kind{
	Name: "goals", Usage: "for which goals options are worth having, of an evaluation of many tasks", Args: "RUN[:K]",
	Example: "rooms", Read: plotGoals,
	Choices: []figure.Choice{
		{Name: "measure", Usage: "show the ratio of `NAME`: early, late (steps) or area", Value: "early"},
		{Name: "against", Usage: "divide by `NAME`: primitives or another baseline of the evaluation",
			Value: schema.AgainstPrimitives},
		evaluationChoice,
	},
	Description: "On a grid a map of the goals, else bars. The CSV has all measures of all tasks.",
})

// plotGoals draws a recorded evaluation of many tasks.
func plotGoals(ctx context.Context, q figure.Request) (figure.Figure, error) {
	run, shown, k, err := evaluatedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	s, e, err := evaluate.OpenMany(ctx, q.Store, run, evaluate.Recorded{Iteration: k, Prefix: q.Text("evaluation", "")})
	if err != nil {
		return nil, err
	}
	var sum evaluate.Summing
	if err := sum.Add(s, e, true, shown.Label()); err != nil {
		return nil, err
	}
	f, err := figure.NewGoals(s, sum.Summary(), q.Text("measure", "early"), q.Text("against", schema.AgainstPrimitives))
	return figure.WithRuns(f, shown), err
}
