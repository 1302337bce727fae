package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"

	"github.com/urfave/cli/v2"
)

// removing is the command rm, with its flags.
type removing struct{ yes, dryRun, purge, undo, list bool }

var _ = cmdline.Register(cmdline.Command{
	Name: "rm", Group: cmdline.GroupCare, Place: 7,
	Example: "podtrack rm --yes ring2",
	JSON:    []any{[]gc.RemovedRun{}},
	Usage:   "remove runs, and restore removed ones until the next compact",
	Args:    "RUN… | FILTER | --undo [RUN…] | --removed",
	Description: `A removed run is in no list, and its name is free. Records that only it uses keep their
space until podtrack compact; until then --undo restores it. With --purge the space is reused
at once, and nothing can be restored. Studies stay when runs are removed.

For --undo, RUN is a name or the beginning of an ID; of a run that was removed several
times, the last one is meant. A run comes back with everything that it had: iterations,
checkpoint, tags, note, sessions, and its name unless another has it now.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var r removing
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			cmdline.YesFlag(&r.yes),
			cmdline.Flag(&r.dryRun, "dry-run", "show which runs would be removed, and change nothing"),
			cmdline.Flag(&r.purge, "purge", "remove them for good, and the records that no other run shares"),
			cmdline.Flag(&r.undo, "undo", "restore removed runs: without RUN, those of the last removal"),
			cmdline.Flag(&r.list, "removed", "list the runs that can be restored"),
		}, r.act
	},
})

func (r *removing) act(c *cli.Context) error {
	if err := r.check(c); err != nil {
		return err
	}
	if r.undo || r.list {
		return cmdline.Answering(r.undoRemoval)(c)
	}
	return cmdline.Interrupted(r.remove(c), "runs removed so far stay removed", "rerun the command to remove the rest")
}

// check returns an error for flags that contradict each other.
func (r *removing) check(c *cli.Context) error {
	switch {
	case r.list && (r.undo || c.NArg() > 0):
		return schema.Hint(errors.New("rm --removed takes neither runs nor --undo"),
			"leave them out, or restore a run by podtrack rm --undo RUN")
	case (r.undo || r.list) && (r.purge || r.yes || r.dryRun):
		return schema.Hint(errors.New("--purge, --yes and --dry-run go with neither --undo nor --removed"),
			"leave them out: they are for removing runs")
	case !r.list && c.IsSet("format"), !r.list && !r.undo && cmdline.WantsJSON(c):
		return schema.Hint(errors.New("--format goes only with --removed, --json only with --removed or --undo"),
			"leave it out; podtrack rm --removed lists what can be restored")
	}
	return nil
}

func (r *removing) remove(c *cli.Context) error {
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	args := c.Args().Slice()
	runs, err := selectTagged(c, args)
	switch {
	case err != nil:
		return err
	case r.dryRun:
		for _, run := range runs {
			cmdline.PrintLine(c.App.Writer, "run %s", run.short)
		}
		cmdline.PrintLine(c.App.Writer, "would remove %s; nothing was changed", cmdline.Plural(len(runs), "run"))
		return nil
	case report.IsTerm(args[0]) && !r.yes:
		err := cmdline.Confirm(c, "remove "+cmdline.Plural(len(runs), "run"),
			cmdline.CommandLine(append([]string{"podtrack", "ls"}, args...)))
		if err != nil {
			return err
		}
	}
	var ids []schema.Digest
	for _, run := range runs {
		ids = append(ids, run.id)
	}
	remove := discard
	if r.purge {
		remove = purge
	}
	return remove(c, ids)
}

// purge removes runs for good.
func purge(c *cli.Context, ids []schema.Digest) error {
	removed, err := gc.Remove(c.Context, cmdline.OpenStore(c), ids)
	if removed.Runs > 0 || err == nil {
		cmdline.PrintLine(c.App.Writer, "removed %s and %s of %d bytes", cmdline.Plural(removed.Runs, "run"),
			cmdline.Plural(removed.Records, "record"), removed.Stored)
	}
	return err
}

// discard removes runs so that they can be restored, and those with damaged rows for good.
func discard(c *cli.Context, ids []schema.Digest) error {
	removed, damaged, err := gc.Discard(c.Context, cmdline.OpenStore(c), ids)
	if removed > 0 || err == nil && len(damaged) == 0 {
		cmdline.PrintLine(c.App.Writer, "removed %s; podtrack rm --undo undoes it until podtrack compact",
			cmdline.Plural(removed, "run"))
	}
	if err != nil || len(damaged) == 0 {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "%s, with damaged rows, cannot be restored and is removed for good\n",
		cmdline.Plural(len(damaged), "run"))
	return purge(c, damaged)
}

// undoRemoval restores removed runs, or lists them.
func (r *removing) undoRemoval(c *cli.Context) (a cmdline.Answer, err error) {
	var removed []gc.RemovedRun
	damaged := 0
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		removed, damaged = gc.ReadRemoved(tx)
		return nil
	})
	if err != nil {
		return a, err
	}
	if damaged > 0 {
		fmt.Fprintf(c.App.ErrWriter, "%s with damaged rows cannot be restored\n", cmdline.Plural(damaged, "removed run"))
	}
	if r.list {
		return cmdline.Answer{JSON: removed, Tables: func() table.List { return table.List{newRemovedTable(removed)} }}, nil
	}
	chosen, err := selectRemoved(removed, c.Args().Slice())
	if err != nil {
		return a, err
	}
	return restore(c, chosen), nil
}

// restore restores removed runs, and says which.
func restore(c *cli.Context, runs []gc.RemovedRun) cmdline.Answer {
	n, taken, err := gc.Undelete(c.Context, cmdline.OpenStore(c), runs)
	for _, r := range runs[:n] {
		if name := taken[r.ID]; name != "" {
			cmdline.PrintLine(c.App.ErrWriter, "run %.7s comes back without its name: another run is called %s now", r.ID, name)
		}
	}
	return cmdline.Answer{
		JSON: runs[:n],
		Text: func(w table.Text) {
			if n > 0 || err == nil {
				w.Line("restored %s", cmdline.Plural(n, "run"))
			}
		},
		Verdict: cmdline.Interrupted(err, "runs restored so far stay restored", "podtrack rm --removed lists the rest"),
	}
}

// selectRemoved returns the runs that the references name or, without references, those that were
// removed last.
func selectRemoved(removed []gc.RemovedRun, refs []string) (chosen []gc.RemovedRun, err error) {
	if len(removed) == 0 {
		return nil, schema.Hint(errors.New("no removed run can be restored"),
			"podtrack compact and rm --purge remove for good")
	}
	if len(refs) == 0 {
		return slices.DeleteFunc(slices.Clone(removed), func(r gc.RemovedRun) bool {
			return !r.Removed.Equal(removed[0].Removed)
		}), nil
	}
	for _, ref := range refs {
		r, err := findRemoved(removed, ref)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(chosen, func(had gc.RemovedRun) bool { return had.ID == r.ID }) {
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}

// findRemoved returns the run that a reference names; of several removals of it, the last.
func findRemoved(removed []gc.RemovedRun, ref string) (found gc.RemovedRun, err error) {
	const hint = "podtrack rm --removed lists the runs that can be restored; name one of them"
	if _, err := report.ParseRefOf(ref, report.RefRun); err != nil {
		return found, schema.Hint(err, hint)
	}
	for _, r := range removed {
		named := ref != "" && (ref == r.Name || strings.HasPrefix(r.ID.String(), strings.ToLower(ref)))
		switch {
		case named && found.ID.IsZero():
			found = r
		case named && found.ID != r.ID:
			return found, schema.Hint(fmt.Errorf("%q names several removed runs", ref), hint)
		}
	}
	if found.ID.IsZero() {
		return found, schema.Hint(fmt.Errorf("removed run %q: %w", ref, tracker.ErrMissing), hint)
	}
	return found, nil
}

func newRemovedTable(removed []gc.RemovedRun) *table.Table {
	g := table.New(table.Left("run").Digest(runview.ShortID), table.Left("name"), table.Right("seed"),
		table.Right("iterations"), table.Left("removed").Time())
	for _, r := range removed {
		g.Add(r.ID.String(), cmp.Or(r.Name, table.None), fmt.Sprint(r.Spec.Seed), fmt.Sprint(r.Iterations),
			table.FormatTime(r.Removed))
	}
	return g
}
