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

// planLine returns the progress of a tag that has a plan.
func planLine(p report.Progress) string {
	line := p.Tag + ": " + p.Text()
	if p.Target > 0 {
		line += fmt.Sprintf("; %d of %d iterations", p.Iterations, p.Target)
	}
	return line
}

// runsLine returns a summary of runs without a plan.
func runsLine(runs []report.Run) string {
	if len(runs) == 0 {
		return "no runs"
	}
	return cmdline.Plural(len(runs), "run") + ": " + report.CountRuns(runs).String()
}

// barWidth is the width of a bar, in characters.
const barWidth = 24

// barText returns the bar for a share. The bar is full only at a share of 1.
func barText(share float64) string {
	full := int(share * barWidth)
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
}

// progressText prints the progress of the selected tags' plans to standard error, after the list
// of runs.
func progressText(c *cli.Context) error {
	if c.NArg() == 0 {
		return nil
	}
	progress, err := loadProgress(c)
	for _, p := range progress {
		fmt.Fprintln(c.App.ErrWriter, planLine(p))
	}
	return err
}

// loadProgress returns the progress of the plans of the tags that the arguments name, and of all plans if there are no
// arguments.
func loadProgress(c *cli.Context) ([]report.Progress, error) {
	args := c.Args().Slice()
	if len(args) > 0 && !slices.Contains(report.TermKeys(args), "tag") {
		return nil, nil
	}
	var s report.Snapshot
	store, plans := cmdline.OpenStore(c), []tracker.TaggedPlan(nil)
	err := store.View(c.Context, func(tx *tracker.Tx) (err error) {
		plans, err = tx.ReadPlans()
		return err
	})
	if err != nil || len(plans) == 0 {
		return nil, err
	}
	pending := new(sweep.PendingParts).Runs(c.Context, plans)
	err = store.View(c.Context, func(tx *tracker.Tx) (err error) {
		s, err = report.TakeSnapshot(tx, args, time.Now(), pending...)
		return err
	})
	return s.Progress, err
}
