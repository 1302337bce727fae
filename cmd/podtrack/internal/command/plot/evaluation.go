package plot

import (
	"context"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// plotEvaluation draws a recorded evaluation.
func plotEvaluation(ctx context.Context, q request, _ picture) (figure.Figure, error) {
	if len(q.args) != 1 {
		return nil, plotTakes(q)
	}
	name, k, err := cmdline.SplitIteration(q.args[0])
	if err != nil {
		return nil, err
	}
	var run tracker.Run
	var label string
	err = q.store.View(ctx, func(tx *tracker.Tx) error {
		if run, err = report.Resolve(tx, name); err != nil {
			return err
		}
		r, err := report.Summarise(tx, run)
		label = r.Label()
		return err
	})
	if err != nil {
		return nil, err
	}
	s, e, err := evaluate.OpenRecorded(ctx, q.store, run, k, textOr(q.evaluation, ""))
	if err != nil {
		return nil, err
	}
	r, err := evaluate.NewReport(s, e, true)
	return figure.NewLearning(label, s, r), err
}
