package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

func pruneCommand() *cli.Command {
	return &cli.Command{
		Name:      "prune",
		Usage:     "drop records of runs and keep their digests",
		ArgsUsage: "[RUN… | FILTER]",
		Description: `What is dropped can be computed again and proved by its digest. Of a run that is
not complete, what it needs to go on stays. What another run keeps stays too.
Without arguments it is about all runs. --keep all drops nothing from now on.`,
		Flags: append([]cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			&cli.BoolFlag{Name: "dry-run", Usage: "show what would be dropped, and change nothing"},
		}, runner.KeepFlags()...),
		Action: prune,
	}
}

func prune(c *cli.Context) error {
	keep, err := runner.ParseKeep(c)
	if err != nil {
		return err
	}
	if keep == nil {
		return schema.Hint(errors.New("prune: what is to be kept?"),
			"podtrack prune --keep options RUN; --keep none keeps digests and measures alone")
	}
	runs, err := selectToPrune(c)
	if err != nil {
		return err
	}
	o := tracker.PruneOptions{Retention: keep, DryRun: c.Bool("dry-run")}
	for _, r := range runs {
		o.Runs = append(o.Runs, r.ID)
	}
	done, err := tracker.Prune(c.Context, cmdline.OpenStore(c), o)
	if err != nil {
		return pruneError(err)
	}
	p := newPruning(o, runs, done)
	if err := p.print(c); err != nil {
		return err
	}
	return p.verdict()
}

// selectToPrune returns the runs that the arguments name. It fails if one of them could not be
// restored later.
func selectToPrune(c *cli.Context) ([]report.Run, error) {
	runs, err := cmdline.SelectSomeRuns(c)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		if err := replay.CheckRecomputable(r.Source); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// pruneError returns err; for an interruption, an error that says that the records dropped so far
// stay dropped.
func pruneError(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; what was dropped by then is", replay.ErrInterrupted),
			"the same command drops the rest")
	}
	return err
}
