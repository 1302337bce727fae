package plot

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// plotEvaluation draws a recorded evaluation.
func plotEvaluation(c *cli.Context, _ picture) (figure.Figure, error) {
	if c.NArg() != 1 {
		return nil, plotTakes(c)
	}
	name, k, err := cmdline.SplitIteration(c.Args().First())
	if err != nil {
		return nil, err
	}
	var run tracker.Run
	var label string
	store := cmdline.OpenStore(c)
	err = store.View(c.Context, func(tx *tracker.Tx) error {
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
	s, e, err := evaluate.OpenRecorded(c.Context, store, run, k, c.String("evaluation"))
	if err != nil {
		return nil, err
	}
	r, err := evaluate.NewReport(s, e, true)
	return figure.NewLearning(label, s, r), err
}
