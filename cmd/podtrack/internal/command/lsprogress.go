package command

import (
	"fmt"
	"slices"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// planLine returns how far a tag with plans is.
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

// printProgress prints how far the selected tags with plans are to standard error, after the list of runs: all of those
// that the arguments name, otherwise those that lack runs.
func printProgress(c *cli.Context) error {
	if c.NArg() == 0 {
		return nil
	}
	progress, err := loadProgress(c)
	if !slices.Contains(report.TermKeys(c.Args().Slice()), "tag") {
		progress = unfinished(progress)
	}
	for _, p := range progress {
		fmt.Fprintln(c.App.ErrWriter, planLine(p))
	}
	return err
}

// loadProgress returns how far the tags with plans are, as far as the arguments select runs of them: see
// [report.SelectPlanned]. It says on stderr which terms leave out planned runs.
func loadProgress(c *cli.Context) ([]report.Progress, error) {
	var s report.Snapshot
	store, planned := cmdline.OpenStore(c), []tracker.PlannedTag(nil)
	err := store.View(c.Context, func(tx *tracker.Tx) (err error) {
		planned, err = tx.ReadPlannedTags()
		return err
	})
	if err != nil || len(planned) == 0 {
		return nil, err
	}
	pending := new(sweep.PendingParts).Runs(c.Context, planned)
	err = store.View(c.Context, func(tx *tracker.Tx) (err error) {
		s, err = report.TakeSnapshot(tx, c.Args().Slice(), time.Now(), pending...)
		return err
	})
	if slices.Contains(report.TermKeys(c.Args().Slice()), "tag") {
		noteUndecided(c.App.ErrWriter, s)
	}
	return s.Progress, err
}
