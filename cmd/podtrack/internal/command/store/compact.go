package store

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/gc"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "compact", Group: cmdline.GroupCare, Place: 5,
	Example: "podtrack compact",
	JSON:    []any{compactReport{}},
	Usage:   "give back the space of what was removed or pruned",
	Description: `Copies what is in use into a new file, which then replaces the old one
atomically. Removed runs are gone then: podtrack rm --undo cannot restore them. It
refuses to start while a process works on a run.
Meanwhile other processes can read the store; those that write wait, with a message, and
continue in the new file.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var k compacting
		return []cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag(),
				cmdline.Flag(&k.dryRun, "dry-run", "show which removed runs would be gone, and change nothing"),
			}, cmdline.Interruptible(cmdline.Answering(k.compact), "the store is as it was",
				"rerun the command to start again")
	},
})

// compacting is the command compact, with its flags.
type compacting struct {
	dryRun bool
}

// compactReport is the output of compact.
type compactReport struct {
	Store  string `json:"store"`
	DryRun bool   `json:"dry_run"`
	Gone   int    `json:"gone"` // removed runs, which cannot be restored any more
	backup.CompactReport
}

func (k *compacting) compact(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "--store says which file: podtrack compact --store FILE"); err != nil {
		return a, err
	}
	r := compactReport{Store: cmdline.StorePath(c), DryRun: k.dryRun}
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		removed, damaged := gc.ReadRemoved(tx)
		r.Gone = len(removed) + damaged
		return nil
	})
	if err != nil {
		return a, err
	}
	if !k.dryRun {
		err = k.replace(c, &r)
	}
	return cmdline.Answer{JSON: r, Text: r.print}, err
}

// replace compacts the store, and reports what it did in r.
func (k *compacting) replace(c *cli.Context, r *compactReport) (err error) {
	bar := cmdline.StartBar(c.App.ErrWriter, "copied")
	r.CompactReport, err = backup.Compact(c.Context, cmdline.OpenStore(c), backup.CompactOptions{
		Progress: func(done, total int64) { bar.Show(done, total, "") },
	})
	bar.Stop()
	cmdline.PrintLeftovers(c.App.ErrWriter, r.Leftovers)
	return err
}

func (r compactReport) print(w table.Text) {
	if r.DryRun {
		w.Line("%s could no longer be restored, which podtrack rm --removed lists; nothing was changed",
			cmdline.Plural(r.Gone, "removed run"))
		return
	}
	w.Line("%s: %d bytes before, %d after; %s of %d bytes in it", r.Store, r.Before, r.After,
		cmdline.Plural(r.Records, "record"), r.Stored)
	if r.Gone > 0 {
		w.Line("%s can no longer be restored", cmdline.Plural(r.Gone, "removed run"))
	}
	if r.Unused > 0 {
		w.Line("dropped %s that no run named", cmdline.Plural(r.Unused, "record"))
	}
}
