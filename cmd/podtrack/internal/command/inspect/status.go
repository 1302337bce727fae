package inspect

import (
	"cmp"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "status", Group: cmdline.GroupInspect, Place: 2,
	Example: "podtrack status bits=7",
	JSON:    []any{[]report.RunStatus{}},
	Served:  []string{},
	Usage:   "show how far runs are, which stopped, and how to go on",
	Args:    "[RUN… | FILTER]",
	Description: `Without arguments it shows the runs that are not complete. For a run that stopped it
shows how its process ended (its signal, or vanished, as after kill -9) and the most
work that can have been lost.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		return []cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag()}, cmdline.Answering(showStatus)
	},
})

func showStatus(c *cli.Context) (a cmdline.Answer, err error) {
	chosen, statuses, err := loadStatus(c)
	return cmdline.Answer{
		JSON: statuses, Title: "Status of runs",
		Text:   func(w table.Text) { printStatus(w, chosen, statuses) },
		Tables: func() table.List { return table.List{table.Of(statuses, statusColumns...)} },
	}, err
}

// loadStatus returns the chosen runs and the status of those to show: without arguments, of those
// that are not complete.
func loadStatus(c *cli.Context) (chosen []report.Run, statuses []report.RunStatus, err error) {
	statuses = []report.RunStatus{}
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) (err error) {
		if c.NArg() > 0 {
			chosen, err = report.SelectSome(tx, c.Args().Slice())
		} else {
			chosen, err = report.Select(tx, nil)
		}
		if err != nil {
			return err
		}
		for _, r := range chosen {
			if c.NArg() == 0 && r.Status == tracker.Complete {
				continue
			}
			s, err := report.LoadStatus(tx, r)
			if err != nil {
				return r.Failed(r.Iterations, err)
			}
			statuses = append(statuses, s)
		}
		return nil
	})
	return chosen, statuses, err
}

// printStatus prints how many runs are in which state, a line for each that is shown, and the
// command that continues those that stopped.
func printStatus(w table.Text, chosen []report.Run, statuses []report.RunStatus) {
	fmt.Fprintln(w, countsLine(chosen))
	if len(statuses) == 0 {
		return
	}
	w.TableBelow(table.Of(statuses, statusColumns...))
	interrupted := 0
	for _, s := range statuses {
		switch s.Status {
		case tracker.Interrupted:
			interrupted++
		case tracker.Failed:
			fmt.Fprintf(w, "\n%s failed: %s\n", s.Label(), textfmt.EscapeLine(s.Failure))
			fmt.Fprintf(w, "  podtrack resume %s tries again\n", textfmt.ShellQuote(s.Label()))
		}
	}
	if interrupted > 0 {
		fmt.Fprintf(w, "\npodtrack resume continues %s.\n", textfmt.CountOf(interrupted, "interrupted run"))
	}
}

// countsLine returns how many runs are in each state.
func countsLine(runs []report.Run) string {
	if len(runs) == 0 {
		return "no runs"
	}
	counts := map[tracker.Status]int{}
	for _, r := range runs {
		counts[r.Status]++
	}
	line := fmt.Sprintf("%s: %d complete", textfmt.CountOf(len(runs), "run"), counts[tracker.Complete])
	for _, s := range []tracker.Status{tracker.Running, tracker.Interrupted, tracker.Failed} {
		if counts[s] > 0 {
			line += fmt.Sprintf(", %d %s", counts[s], s)
		}
	}
	return line
}

// statusColumns are the columns of a run's status.
var statusColumns = []table.Column{
	table.Opens(table.Value(table.Left("run"), func(s *report.RunStatus) any { return s.Label() }),
		func(s *report.RunStatus) []string { return []string{"show", s.ID.String()} }),
	table.Left("status"),
	table.Value(table.Right("iteration"), func(s *report.RunStatus) any { // in progress, and the last one
		return fmt.Sprintf("%d of %d", s.Iterations, max(s.Target, s.Iterations))
	}),
	table.Format(table.Left("position").As("stage").Optional(3), stageText),
	table.Value(table.Left("ended"),
		func(s *report.RunStatus) any { return cmp.Or(s.By, string(s.Ended), table.None) }),
	table.Format(table.Left("lost").Optional(4), lostText),
	table.Format(table.Left("saved").Optional(2),
		func(t time.Time) string { return textfmt.Roughly(max(0, time.Since(t).Seconds())) + " ago" }),
	table.Format(table.Left("owner").Optional(1),
		func(o report.Owner) string { return fmt.Sprintf("PID %d on %s", o.PID, o.Host) }),
}

// lostText returns how much work was lost when a run was interrupted.
func lostText(seconds float64) string {
	if seconds == 0 {
		return "nothing"
	}
	return "≤ " + replay.AboveSeconds(time.Duration(seconds*1e9))
}

func stageText(p report.Position) string {
	if p.Parts == 0 {
		return p.Stage
	}
	if p.Stage == stages.Factor { // whose parts are operations
		return fmt.Sprintf("%s %d %%", p.Stage, int64(100*float64(p.Part)/float64(max(p.Parts, 1))))
	}
	return fmt.Sprintf("%s %d/%d", p.Stage, p.Part, p.Parts)
}
