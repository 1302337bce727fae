package plot

import (
	"context"

	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// plotEvaluation draws a recorded evaluation of one task.
func plotEvaluation(ctx context.Context, q request, _ picture) (figure.Figure, error) {
	run, shown, k, err := evaluatedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	which := evaluate.Recorded{Iteration: k, Prefix: textOr(q.evaluation, "")}
	s, e, err := evaluate.OpenRecorded(ctx, q.store, run, which)
	if err != nil {
		return nil, err
	}
	r, err := evaluate.NewReport(ctx, s, e, true)
	return figure.WithRuns(figure.NewLearning(shown.Label(), s, r), shown), err
}

// evaluatedRun reads the run whose evaluation is drawn, as recorded and as shown, and the iteration, nil for any.
func evaluatedRun(ctx context.Context, q request) (run tracker.Run, shown report.Run, k *int, err error) {
	if len(q.args) != 1 {
		return run, shown, nil, plotTakes(q)
	}
	ref, err := report.ParseRefOf(q.args[0], report.RefRun, report.RefIteration)
	if err != nil {
		return run, shown, nil, err
	}
	err = q.store.View(ctx, func(tx *tracker.Tx) error {
		if run, err = report.Resolve(tx, ref.Run); err != nil {
			return err
		}
		shown, err = report.Summarise(tx, run)
		return err
	})
	return run, shown, ref.Iteration(), err
}
