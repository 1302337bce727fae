package show

import (
	"context"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/tracker"
)

var _ = figure.Register(figure.Kind{
	Name: "evaluation", Usage: "how soon agents learn a task with the options, and without", Args: "RUN[:K]",
	Example: "ring0", Read: plotEvaluation, Choices: []figure.Choice{evaluationChoice},
})

var evaluationChoice = figure.Choice{Name: "evaluation",
	Usage: "the evaluation whose digest begins with `PREFIX`, if there are several"}

// plotEvaluation draws a recorded evaluation of one task.
func plotEvaluation(ctx context.Context, q figure.Request) (figure.Figure, error) {
	run, shown, k, err := evaluatedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	which := evaluate.Recorded{Iteration: k, Prefix: q.Text("evaluation", "")}
	s, e, err := evaluate.OpenRecorded(ctx, q.Store, run, which)
	if err != nil {
		return nil, err
	}
	r, err := evaluate.NewReport(ctx, s, e, true)
	return figure.WithRuns(figure.NewLearning(shown.Label(), s, r), shown), err
}

// evaluatedRun reads the run whose evaluation is drawn, as recorded and as shown, and the iteration, nil for any.
func evaluatedRun(ctx context.Context, q figure.Request) (run tracker.Run, shown report.Run, k *int, err error) {
	if len(q.Args) != 1 {
		return run, shown, nil, plotTakes(q)
	}
	ref, err := report.ParseRefOf(q.Args[0], report.RefRun, report.RefIteration)
	if err != nil {
		return run, shown, nil, err
	}
	err = q.Store.View(ctx, func(tx *tracker.Tx) error {
		if run, err = report.Resolve(tx, ref.Run); err != nil {
			return err
		}
		shown, err = report.Summarise(tx, run)
		return err
	})
	return run, shown, ref.Iteration(), err
}

var _ = figure.Register(figure.Kind{
	Name: "goals", Usage: "for which goals the options help, in an evaluation of many tasks", Args: "RUN[:K]",
	Example: "rooms", Read: plotGoals,
	Choices: []figure.Choice{
		{Name: "measure", Usage: "show the ratio of `NAME`: early, late (steps) or area", Value: "early"},
		{Name: "against", Usage: "divide by `NAME`: primitives or another baseline of the evaluation",
			Value: evaluation.AgainstPrimitives},
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
	var sum evaluate.Aggregator
	if err := sum.Add(s, e, true, shown.Label()); err != nil {
		return nil, err
	}
	f, err := figure.NewGoals(s, sum.Summary(), q.Text("measure", "early"),
		q.Text("against", evaluation.AgainstPrimitives))
	return figure.WithRuns(f, shown), err
}
