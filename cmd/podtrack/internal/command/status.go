package command

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func statusCommand() *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "show how far runs are, how long they will take, and what to do about those that stopped",
		ArgsUsage: "[RUN… | FILTER]",
		Description: `Without arguments it shows the runs that are not complete. The time left is
estimated from the recorded costs of runs that differ in the seed alone, or else
of the run itself.`,
		Flags:  []cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag()},
		Action: status,
	}
}

func status(c *cli.Context) error {
	format, err := table.ParseFormat(c)
	if err != nil {
		return err
	}
	chosen, statuses, err := loadStatus(c)
	switch {
	case err != nil:
		return err
	case len(chosen) == 0 && c.NArg() > 0:
		return report.NewNoRunsError(c.Args().Slice())
	case c.Bool("json"):
		return cmdline.PrintJSONList(c.App.Writer, statuses)
	case format != table.Formats[0]:
		return statusTable(statuses, time.Now()).Print(c.App.Writer, format)
	}
	return printStatus(c.App.Writer, chosen, statuses)
}

// loadStatus returns the chosen runs and the status of those to show: without arguments, of those
// that are not complete.
func loadStatus(c *cli.Context) (chosen []report.Run, statuses []report.RunStatus, err error) {
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		if chosen, err = report.Select(tx, c.Args().Slice()); err != nil {
			return err
		}
		all, shown := chosen, chosen
		if c.NArg() > 0 {
			if all, err = report.Select(tx, nil); err != nil {
				return err
			}
		} else {
			shown = slices.DeleteFunc(slices.Clone(chosen),
				func(r report.Run) bool { return r.Status == tracker.Complete })
		}
		statuses, err = report.LoadStatus(tx, shown, all)
		return err
	})
	return chosen, statuses, err
}

// printStatus prints how many runs are in which state, a line for each that is shown, and the
// command that continues those that stopped.
func printStatus(w io.Writer, chosen []report.Run, statuses []report.RunStatus) error {
	fmt.Fprintln(w, runsLine(chosen))
	if len(statuses) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	if err := statusTable(statuses, time.Now()).Print(w, table.Formats[0]); err != nil {
		return err
	}
	var interrupted, failed int
	for _, s := range statuses {
		switch s.Status {
		case tracker.Interrupted:
			interrupted++
		case tracker.Failed:
			failed++
			fmt.Fprintf(w, "\n%s failed: %s\n", s.Label(), schema.EscapeLine(s.Failure))
			fmt.Fprintf(w, "  podtrack resume %s tries again\n", schema.ShellQuote(s.Label()))
		}
	}
	if interrupted > 0 {
		fmt.Fprintf(w, "\npodtrack resume continues %s.\n", cmdline.Plural(interrupted, "interrupted run"))
	}
	return nil
}

func statusTable(statuses []report.RunStatus, now time.Time) *table.Table {
	g := table.New(table.Left("run"), table.Left("status"), table.Right("iteration"), table.Left("stage").Optional(3),
		table.Right("done"), table.Right("time left"), table.Left("saved").Optional(2), table.Left("owner").Optional(1))
	for _, s := range statuses {
		g.Add(s.Label(), string(s.Status), iterationOf(s.Run), stageText(s.Position), fmt.Sprintf("%.0f %%", 100*s.Done),
			leftText(s), ageText(s.Saved, now), ownerText(s.Owner))
	}
	return g
}

// iterationOf returns the iteration in progress and the last one, or what there is of a complete run.
func iterationOf(r report.Run) string {
	return fmt.Sprintf("%d of %d", r.Iterations, max(r.Target, r.Iterations))
}

func stageText(p *report.Position) string {
	if p == nil {
		return table.None
	}
	if p.Parts == 0 {
		return p.Stage
	}
	return fmt.Sprintf("%s %d/%d", p.Stage, p.Part, p.Parts)
}

func leftText(s report.RunStatus) string {
	if s.Left == nil {
		return table.None
	}
	return cmdline.Roughly(*s.Left)
}

// ageText returns how long ago something happened.
func ageText(t *time.Time, now time.Time) string {
	if t == nil {
		return table.None
	}
	return cmdline.Roughly(max(0, now.Sub(*t).Seconds())) + " ago"
}

func ownerText(o *report.Owner) string {
	if o == nil {
		return table.None
	}
	return fmt.Sprintf("PID %d on %s", o.PID, o.Host)
}
