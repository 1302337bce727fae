package command

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// planLine is how far a tag with a plan is.
func planLine(p report.Progress) string {
	line := p.Tag + ": " + planText(p)
	if p.Target > 0 {
		line += fmt.Sprintf("; %d of %d iterations", p.Iterations, p.Target)
	}
	return line
}

// planText stands beside the tag where a bar tells of iterations.
func planText(p report.Progress) string {
	if p.Left == nil {
		return p.String()
	}
	return p.String() + ", about " + cmdline.Roughly(*p.Left) + " left"
}

// runsLine is what there is to say of runs without a plan.
func runsLine(runs []report.Run) string {
	if len(runs) == 0 {
		return "no runs"
	}
	return cmdline.Plural(len(runs), "run") + ": " + report.CountRuns(runs).String()
}

// barWidth is that of a bar, in characters.
const barWidth = 24

// barText is full only for all of it.
func barText(share float64) string {
	full := int(share * barWidth)
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
}

// progressText ends a list of the runs of tags with how far those are that have a
// plan.
func progressText(c *cli.Context) error {
	args := c.Args().Slice()
	if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "tag=") }) {
		return nil
	}
	var s report.Snapshot
	store, plans := cmdline.OpenStore(c), []tracker.TaggedPlan(nil)
	err := store.View(c.Context, func(tx *tracker.Tx) (err error) {
		plans, err = tx.ReadPlans()
		return err
	})
	if err != nil || len(plans) == 0 {
		return err
	}
	elsewhere := new(sweep.PendingParts).Runs(c.Context, plans)
	err = store.View(c.Context, func(tx *tracker.Tx) (err error) {
		s, err = report.TakeSnapshot(tx, args, time.Now(), elsewhere...)
		return err
	})
	for _, p := range s.Progress {
		fmt.Fprintln(c.App.ErrWriter, planLine(p))
	}
	return err
}
