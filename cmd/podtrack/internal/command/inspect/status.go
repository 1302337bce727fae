package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// statusFlags is the command status, with its flags.
type statusFlags struct {
	wait bool
	then *string
}

var _ = cmdline.Register(cmdline.Command{
	Name: "status", Group: cmdline.GroupInspect, Place: 2,
	Example: "podtrack status bits=7",
	JSON:    []any{[]outlook.RunStatus{}},
	Usage:   "show how far runs are, how long they will take, and what to do about those that stopped",
	Args:    "[RUN… | FILTER]",
	Description: `Without arguments it shows the runs that are not complete. The time left is
estimated (≈) from the recorded costs of runs that differ only in the seed, or else of
the run itself. Before any iteration was timed it is a lower bound (≥), which counts
nothing for the stages that have not begun. For a run that stopped it shows how its
process ended (its signal, or vanished, as after kill -9) and the most work that can
have been lost, and for a sweep which planned runs are missing.

With --wait it exits 0 once all of them are complete, and 1 once nothing works on them
any more and some have failed or stopped, or if the command of --then fails. Runs that a
sweep has planned under a tag count before they exist, as far as a filter asks for tags
and fields of the spec: podtrack status --wait tag=x seed=0-9.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var s statusFlags
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			cmdline.Flag(&s.wait, "wait", "wait until the runs are complete, and tell on stderr how far they are"),
			cmdline.Optional(&s.then, "then", "with --wait: execute `CMD`, with quotes as for a shell, once all are complete",
				""),
		}, s.act
	},
})

func (s *statusFlags) act(c *cli.Context) error {
	if s.wait {
		return s.waitForRuns(c)
	}
	return cmdline.Answering(s.show)(c)
}

func (s *statusFlags) show(c *cli.Context) (a cmdline.Answer, err error) {
	if s.then != nil {
		return a, schema.Hint(errors.New("--then without --wait"), "add --wait")
	}
	chosen, statuses, err := loadStatus(c)
	if err != nil {
		return a, err
	}
	plans, err := runview.LoadProgress(c)
	plans = runview.Unfinished(plans)
	if cmdline.WantsJSON(c) {
		addPlans(statuses, plans)
		runview.PrintPlans(c.App.ErrWriter, plans)
	}
	return cmdline.Answer{
		JSON: statuses,
		Text: func(w table.Text) {
			printStatus(w, chosen, statuses)
			if len(plans) > 0 {
				w.Blank()
				runview.PrintPlans(w, plans)
			}
		},
		Tables: func() table.List { return table.List{statusTable(statuses, time.Now())} },
	}, err
}

// addPlans adds to each run the plans of its tags.
func addPlans(statuses []outlook.RunStatus, plans []outlook.Progress) {
	for i := range statuses {
		for _, p := range plans {
			if slices.Contains(statuses[i].Tags, p.Tag) {
				statuses[i].Plans = append(statuses[i].Plans, p)
			}
		}
	}
}

// loadStatus returns the chosen runs and the status of those to show: without arguments, of those
// that are not complete.
func loadStatus(c *cli.Context) (chosen []report.Run, statuses []outlook.RunStatus, err error) {
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		all, err := report.Select(tx, nil)
		if err != nil {
			return err
		}
		shown := all
		if chosen = all; c.NArg() > 0 {
			chosen, err = report.SelectSome(tx, c.Args().Slice())
			shown = chosen
		} else {
			shown = slices.DeleteFunc(slices.Clone(all), func(r report.Run) bool { return r.Status == tracker.Complete })
		}
		if err == nil {
			statuses, err = outlook.LoadStatus(tx, shown, all)
		}
		return err
	})
	return chosen, statuses, err
}

// printStatus prints how many runs are in which state, a line for each that is shown, and the
// command that continues those that stopped.
func printStatus(w table.Text, chosen []report.Run, statuses []outlook.RunStatus) {
	fmt.Fprintln(w, runview.RunsLine(chosen))
	if len(statuses) == 0 {
		return
	}
	w.TableBelow(statusTable(statuses, time.Now()))
	printEstimateNotes(w, statuses)
	var interrupted, failed int
	for _, s := range statuses {
		switch s.Status {
		case tracker.Interrupted:
			interrupted++
		case tracker.Failed:
			failed++
			fmt.Fprintf(w, "\n%s failed: %s\n", s.Label(), textfmt.EscapeLine(s.Failure))
			fmt.Fprintf(w, "  podtrack resume %s tries again\n", textfmt.ShellQuote(s.Label()))
		}
	}
	if interrupted > 0 {
		fmt.Fprintf(w, "\npodtrack resume continues %s.\n", cmdline.Plural(interrupted, "interrupted run"))
	}
}

// printEstimateNotes prints how the remaining times were estimated.
func printEstimateNotes(w table.Text, statuses []outlook.RunStatus) {
	has := map[outlook.Evidence]bool{}
	for _, s := range statuses {
		has[s.LeftFrom] = true
	}
	if has[outlook.FromSimilar] || has[outlook.FromRun] {
		w.Wrapped("≈ from the recorded costs of runs that differ only in the seed, or of the run itself")
	}
	if has[outlook.AtLeast] {
		w.Wrapped("≥ at least, ≤ at most: no iteration was timed yet, and the stages that have not begun " +
			"count nothing")
	}
}

func statusTable(statuses []outlook.RunStatus, now time.Time) *table.Table {
	g := table.New(table.Left("run"), table.Left("status"), table.Right("iteration"), table.Left("stage").Optional(3),
		table.Right("done"), table.Right("time left"), table.Left("ended"), table.Left("lost").Optional(4),
		table.Left("saved").Optional(2), table.Left("owner").Optional(1))
	for _, s := range statuses {
		g.Add(s.Label(), string(s.Status), iterationOf(s.Run), stageText(s.Position), doneText(s),
			leftText(s), endedText(s), lostText(s), ageText(s.Saved, now), ownerText(s.Owner))
	}
	return g
}

// endedText returns how the last process on a run ended that is not complete.
func endedText(s outlook.RunStatus) string {
	return cmp.Or(s.By, string(s.Ended), table.None)
}

// lostText returns how much work was lost when a run was interrupted.
func lostText(s outlook.RunStatus) string {
	switch {
	case s.Lost == nil:
		return table.None
	case *s.Lost == 0:
		return "nothing"
	}
	return "≤ " + replay.AboveSeconds(time.Duration(*s.Lost*1e9))
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
	if p.Stage == stages.Factor { // whose parts are operations
		return fmt.Sprintf("%s %d %%", p.Stage, int64(100*float64(p.Part)/float64(max(p.Parts, 1))))
	}
	return fmt.Sprintf("%s %d/%d", p.Stage, p.Part, p.Parts)
}

// doneText returns the share that is done: at most where the stages that follow collecting count nothing, and
// approximately where typical shares of stages stand for their costs.
func doneText(s outlook.RunStatus) string {
	share := fmt.Sprintf("%.0f %%", 100*s.Done)
	if s.LeftFrom == outlook.AtLeast && s.Position.Stage == stages.Collect {
		return fmt.Sprintf("≤ %.0f %%", math.Ceil(100*s.Done))
	}
	if s.Position != nil && s.LeftFrom != outlook.FromSimilar && s.LeftFrom != outlook.FromRun {
		return "≈ " + share
	}
	return share
}

func leftText(s outlook.RunStatus) string {
	if s.Left == nil {
		return table.None
	}
	if s.LeftFrom == outlook.AtLeast {
		return "≥ " + textfmt.AtLeast(*s.Left)
	}
	return "≈ " + textfmt.Roughly(*s.Left)
}

// ageText returns how long ago something happened.
func ageText(t *time.Time, now time.Time) string {
	if t == nil {
		return table.None
	}
	return textfmt.Roughly(max(0, now.Sub(*t).Seconds())) + " ago"
}

func ownerText(o *outlook.Owner) string {
	if o == nil {
		return table.None
	}
	return fmt.Sprintf("PID %d on %s", o.PID, o.Host)
}
