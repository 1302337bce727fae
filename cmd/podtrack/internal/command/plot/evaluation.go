package plot

import (
	"context"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// plotEvaluation draws a recorded evaluation of one task.
func plotEvaluation(ctx context.Context, q request, _ picture) (figure.Figure, error) {
	run, label, k, err := evaluatedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	s, e, err := evaluate.OpenRecorded(ctx, q.store, run, k, textOr(q.evaluation, ""))
	if err != nil {
		return nil, err
	}
	r, err := evaluate.NewReport(ctx, s, e, true)
	return figure.NewLearning(label, s, r), err
}

// evaluatedRun reads the run whose evaluation is drawn, its label, and the iteration, −1 for any.
func evaluatedRun(ctx context.Context, q request) (run tracker.Run, label string, k int, err error) {
	if len(q.args) != 1 {
		return run, "", 0, plotTakes(q)
	}
	name, k, err := cmdline.SplitIteration(q.args[0])
	if err != nil {
		return run, "", 0, err
	}
	err = q.store.View(ctx, func(tx *tracker.Tx) error {
		if run, err = report.Resolve(tx, name); err != nil {
			return err
		}
		r, err := report.Summarise(tx, run)
		label = r.Label()
		return err
	})
	return run, label, k, err
}
