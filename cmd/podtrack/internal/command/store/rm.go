package store

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"

	"github.com/urfave/cli/v2"
)

type removing struct{ yes bool }

var _ = cmdline.Register(cmdline.Command{
	Name: "rm", Group: cmdline.GroupCare, Place: 7,
	Example: "podtrack rm --yes ring2",
	Usage:   "remove runs for good",
	Args:    "RUN… | FILTER",
	Description: `Shows how many runs it would remove, their names, and the bytes of their records; then it
asks on a terminal, and wants --yes elsewhere. Records that other runs have too stay. Nothing
brings a removed run back but its spec: podtrack show --spec RUN prints that beforehand, and
podtrack run --spec FILE makes the same run from it. New records reuse the space, and podtrack
compact returns it. Studies stay when runs are removed.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var r removing
		return []cli.Flag{cmdline.StoreFlag(), cmdline.Flag(&r.yes, "yes", "do not ask")}, cmdline.Interruptible(r.remove,
			"runs removed so far stay removed", "rerun the command to remove the rest")
	},
})

func (r *removing) remove(c *cli.Context) error {
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	runs, err := cmdline.SelectSomeRuns(c)
	if err != nil {
		return err
	}
	var ids []schema.Digest
	for _, run := range runs {
		ids = append(ids, run.ID)
	}
	if !r.yes {
		names := textfmt.Map(runs, func(run report.Run) string { return "run " + run.Label() })
		cmdline.PrintSome(c.App.ErrWriter, cmdline.MaxNotices, names)
		cmdline.PrintLine(c.App.ErrWriter, "%s: %s", textfmt.CountOf(len(runs), "run"), measureDoomed(c, ids))
		if err := cmdline.Confirm(c, "remove "+textfmt.CountOf(len(runs), "run")+" for good"); err != nil {
			return err
		}
	}
	removed, err := gc.Remove(c.Context, cmdline.OpenStore(c), ids)
	if removed.Runs > 0 || err == nil {
		cmdline.PrintLine(c.App.Writer, "removed %s and %s of %d bytes", textfmt.CountOf(removed.Runs, "run"),
			textfmt.CountOf(removed.Records, "record"), removed.Stored)
	}
	return err
}

func measureDoomed(c *cli.Context, ids []schema.Digest) string {
	doomed := map[schema.Digest]bool{}
	for _, id := range ids {
		doomed[id] = true
	}
	var use tracker.Usage
	err := cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) (err error) {
		_, use, err = tx.MeasureUsage(doomed)
		return err
	})
	if err != nil { // a damaged run can be removed too
		return fmt.Sprintf("what they take is not known: %v", err)
	}
	return fmt.Sprintf("%s of %d bytes, of which %d stay, since other runs share them",
		textfmt.CountOf(use.Records, "record"), use.Stored, use.Stored-use.Exclusive)
}
