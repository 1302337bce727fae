package store

import (
	"errors"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"

	"github.com/urfave/cli/v2"
)

// pruning is the command prune, with its flags.
type pruning struct {
	runner.Flags
	dryRun, yes bool
}

var _ = cmdline.Register(cmdline.Command{
	Name: "prune", Group: cmdline.GroupCare, Place: 4,
	Example: "podtrack prune --keep factors ring1",
	JSON:    []any{pruneReport{}},
	Usage:   "drop records of runs and keep their digests",
	Args:    "[RUN… | FILTER]",
	Description: `--keep says what stays, and has to be given. What is dropped can be computed again and
proved by its digest. A run that is not complete keeps what it needs to continue. Records
that another run keeps stay too. Without arguments it prunes all runs: it asks on a
terminal, and wants --yes elsewhere. --keep all drops nothing from now on.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var p pruning
		return append([]cli.Flag{
				cmdline.StoreFlag(), cmdline.JsonFlag(),
				cmdline.Flag(&p.dryRun, "dry-run", "show what would be dropped, and change nothing"),
				cmdline.YesFlag(&p.yes),
			}, p.KeepFlags()...), cmdline.Interruptible(cmdline.Answering(p.prune), "records dropped so far stay dropped",
				"rerun the command to drop the rest")
	},
})

func (p *pruning) prune(c *cli.Context) (a cmdline.Answer, err error) {
	keep, err := p.ParseKeep()
	if err != nil {
		return a, err
	}
	if keep == nil {
		return a, schema.Hint(errors.New("prune needs --keep"),
			"podtrack prune --keep options RUN; --keep none keeps only digests and measures")
	}
	runs, err := selectToPrune(c)
	if err != nil {
		return a, err
	}
	if c.NArg() == 0 && !p.dryRun && !p.yes && !keep.KeepsEverything() {
		err := cmdline.Confirm(c, "drop records of "+cmdline.Plural(len(runs), "run"))
		if err != nil {
			return a, err
		}
	}
	o := gc.PruneOptions{Retention: keep, DryRun: p.dryRun}
	for _, r := range runs {
		o.Runs = append(o.Runs, r.ID)
	}
	done, err := gc.Prune(c.Context, cmdline.OpenStore(c), o)
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

// pruneReport is the output of prune.
type pruneReport struct {
	Keep    tracker.Retention `json:"keep"`
	DryRun  bool              `json:"dry_run"`
	Runs    []prunedRun       `json:"runs"`
	Records int               `json:"records"`
	Bytes   int64             `json:"bytes"`
}

type prunedRun struct {
	gc.PrunedRun
	Name  string `json:"name"`
	short string
	label string
}

func newPruneReport(o gc.PruneOptions, runs []report.Run, done gc.PruneReport) pruneReport {
	p := pruneReport{Keep: *o.Retention, DryRun: o.DryRun, Runs: []prunedRun{}, Records: done.Records, Bytes: done.Bytes}
	for i, r := range done.Runs {
		p.Runs = append(p.Runs, prunedRun{PrunedRun: r, Name: runs[i].Name, short: runs[i].Short, label: runs[i].Label()})
	}
	return p
}

func (p pruneReport) print(w table.Text) {
	g := table.New(table.Left("run"), table.Left("name"), table.Right("records"), table.Right("bytes"),
		table.Right("pruned before"))
	for _, r := range p.Runs {
		g.Add(r.short, r.Name, fmt.Sprint(r.Records), fmt.Sprint(r.Bytes), fmt.Sprint(r.Already))
	}
	w.Table(g)
	fmt.Fprintln(w, p.summary())
}

func (p pruneReport) summary() string {
	what := fmt.Sprintf("%s of %d bytes", cmdline.Plural(p.Records, "record"), p.Bytes)
	switch already := p.already(); {
	case p.Keep.KeepsEverything() && p.DryRun:
		return "would keep everything from now on; nothing was changed"
	case p.Keep.KeepsEverything() && already > 0:
		return fmt.Sprintf(
			"everything is kept from now on; "+
				"podtrack repair --pruned RUN restores the %d records that were pruned before",
			already)
	case p.Keep.KeepsEverything():
		return "everything is kept from now on"
	case p.DryRun:
		return fmt.Sprintf("would drop %s; nothing was changed", what)
	case p.Records == 0:
		return "nothing to drop"
	}
	return fmt.Sprintf("dropped %s; podtrack compact gives the space back", what)
}

func (p pruneReport) already() (n int) {
	for _, r := range p.Runs {
		n += r.Already
	}
	return n
}

func (p pruneReport) notify(stderr io.Writer) {
	var lines []string
	for _, r := range p.Runs {
		switch {
		case r.Err != nil:
			lines = append(lines, fmt.Sprintf("run %s is unchanged: %s", r.label, r.Reason))
		case r.Unfinished && !p.Keep.KeepsEverything():
			lines = append(lines, fmt.Sprintf("run %s is not complete: its options and last iteration stay until it is",
				r.label))
		}
	}
	cmdline.PrintSome(stderr, cmdline.MaxNotices, lines)
}

// verdict returns an error if runs were not pruned because other processes work on them.
func (p pruneReport) verdict() error {
	held := 0
	for _, r := range p.Runs {
		if r.Err != nil {
			held++
		}
	}
	if held == 0 {
		return nil
	}
	return schema.Hint(fmt.Errorf("runs that were not pruned: %d of %d, %w by processes that work on them", held,
		len(p.Runs), tracker.ErrLocked),
		"prune again when they are done, or begin them with podtrack run --keep; podtrack ls shows how far they are")
}
