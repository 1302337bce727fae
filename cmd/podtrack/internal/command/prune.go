package command

import (
	"errors"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// pruning is the command prune, with its flags.
type pruning struct{ dryRun bool }

func pruneCommand() *cli.Command {
	var p pruning
	return &cli.Command{
		Name:      "prune",
		Usage:     "drop records of runs and keep their digests",
		ArgsUsage: "[RUN… | FILTER]",
		Description: `What is dropped can be computed again and proved by its digest. Of a run that is
not complete, what it needs to go on stays. What another run keeps stays too.
Without arguments it is about all runs. --keep all drops nothing from now on.`,
		Flags: append([]cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			cmdline.Flag(&p.dryRun, "dry-run", "show what would be dropped, and change nothing"),
		}, runner.KeepFlags()...),
		Action: cmdline.Interruptible(cmdline.Answering(p.prune), "what was dropped by then is",
			"the same command drops the rest"),
	}
}

func (p *pruning) prune(c *cli.Context) (a cmdline.Answer, err error) {
	keep, err := runner.ParseKeep(c)
	if err != nil {
		return a, err
	}
	if keep == nil {
		return a, schema.Hint(errors.New("prune: what is to be kept?"),
			"podtrack prune --keep options RUN; --keep none keeps digests and measures alone")
	}
	runs, err := selectToPrune(c)
	if err != nil {
		return a, err
	}
	o := tracker.PruneOptions{Retention: keep, DryRun: p.dryRun}
	for _, r := range runs {
		o.Runs = append(o.Runs, r.ID)
	}
	done, err := tracker.Prune(c.Context, cmdline.OpenStore(c), o)
	if err != nil {
		return a, err
	}
	r := newPruneReport(o, runs, done)
	r.notify(c.App.ErrWriter)
	return cmdline.Answer{JSON: r, Text: r.print, Verdict: r.verdict()}, nil
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
