package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func undeleteCommand() *cli.Command {
	return &cli.Command{
		Name:      "undelete",
		Usage:     "restore removed runs, until the next compact",
		ArgsUsage: "[RUN…]",
		Description: `Without arguments it undoes the last podtrack rm. RUN is a name or the beginning of an
ID; of a run that was removed several times, the last one is meant. A run comes back
with everything that it had: iterations, checkpoint, tags, note, evaluations, sessions,
and its name unless another run has it now. Plans of sweeps stay when runs are removed.`,
		Flags: []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			&cli.BoolFlag{Name: "list", Usage: "list the runs that can be restored"},
		},
		Action: undelete,
	}
}

func undelete(c *cli.Context) error {
	format, err := table.ParseFormat(c)
	if err != nil {
		return err
	}
	if c.Bool("list") && c.NArg() > 0 {
		return schema.Hint(errors.New("undelete --list takes no runs"), "leave them out")
	}
	var removed []tracker.RemovedRun
	damaged := 0
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		removed, damaged = tx.ReadRemoved()
		return nil
	})
	if err != nil {
		return err
	}
	if damaged > 0 {
		fmt.Fprintf(c.App.ErrWriter, "%s with damaged rows cannot be restored\n", cmdline.Plural(damaged, "removed run"))
	}
	if c.Bool("list") {
		return listRemoved(c, removed, format)
	}
	chosen, err := selectRemoved(removed, c.Args().Slice())
	if err != nil {
		return err
	}
	return restore(c, chosen)
}

// restore restores removed runs, and says which.
func restore(c *cli.Context, runs []tracker.RemovedRun) error {
	n, taken, err := tracker.Undelete(c.Context, cmdline.OpenStore(c), runs)
	if c.Bool("json") {
		if failed := cmdline.PrintJSONList(c.App.Writer, runs[:n]); failed != nil {
			return failed
		}
	} else if n > 0 || err == nil {
		cmdline.PrintLine(c.App.Writer, "restored %s", cmdline.Plural(n, "run"))
	}
	for _, r := range runs[:n] {
		if name := taken[r.ID]; name != "" {
			fmt.Fprintf(c.App.ErrWriter, "run %.7s comes back without its name: another run is called %s now\n", r.ID,
				textform.EscapeLine(name))
		}
	}
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; what was restored stays so", replay.ErrInterrupted),
			"podtrack undelete --list shows the rest")
	}
	return err
}

// selectRemoved returns the runs that the references name or, without references, those that were
// removed last.
func selectRemoved(removed []tracker.RemovedRun, refs []string) (chosen []tracker.RemovedRun, err error) {
	if len(removed) == 0 {
		return nil, schema.Hint(errors.New("no removed run can be restored"),
			"podtrack compact and rm --purge remove for good")
	}
	if len(refs) == 0 {
		return slices.DeleteFunc(slices.Clone(removed), func(r tracker.RemovedRun) bool {
			return !r.Removed.Equal(removed[0].Removed)
		}), nil
	}
	for _, ref := range refs {
		r, err := findRemoved(removed, ref)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(chosen, func(had tracker.RemovedRun) bool { return had.ID == r.ID }) {
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}

// findRemoved returns the run that a reference names; of several removals of it, the last.
func findRemoved(removed []tracker.RemovedRun, ref string) (found tracker.RemovedRun, err error) {
	const hint = "podtrack undelete --list shows what can be restored"
	if _, err := report.ParseRefOf(ref, report.RefRun); err != nil {
		return found, err
	}
	for _, r := range removed {
		if ref == "" || ref != r.Name && !strings.HasPrefix(r.ID.String(), strings.ToLower(ref)) {
			continue
		}
		if !found.ID.IsZero() && found.ID != r.ID {
			return found, schema.Hint(fmt.Errorf("%q names several removed runs", ref), hint)
		}
		if found.ID.IsZero() {
			found = r
		}
	}
	if found.ID.IsZero() {
		return found, schema.Hint(fmt.Errorf("removed run %q: %w", ref, tracker.ErrMissing), hint)
	}
	return found, nil
}

func listRemoved(c *cli.Context, removed []tracker.RemovedRun, format string) error {
	if c.Bool("json") {
		return cmdline.PrintJSONList(c.App.Writer, removed)
	}
	g := table.New(table.Left("run").Digest(shortID), table.Left("name"), table.Right("seed"), table.Right("iterations"),
		table.Left("removed").Time())
	for _, r := range removed {
		g.Add(r.ID.String(), cmp.Or(r.Name, table.None), fmt.Sprint(r.Spec.Seed), fmt.Sprint(r.Iterations),
			table.FormatTime(r.Removed))
	}
	return g.Print(c.App.Writer, format)
}
