package run

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// resuming is the command resume, with its flags.
type resuming struct {
	runner.Flags
	all bool
}

var _ = cmdline.Register(cmdline.Command{
	Name: "resume", Group: cmdline.GroupRun, Place: 2,
	Example: "podtrack resume ring0 --iterations 5",
	JSON:    []any{runResult{}},
	Usage:   "continue interrupted runs from their checkpoints",
	Args:    "[RUN… | FILTER]",
	Description: `Without arguments it continues every run that is interrupted, but none that failed.
If there is nothing to continue it says so, and exits with 0.
It says on stderr where each continues, and what the process before had not saved. It
makes no new runs: those of a sweep that have not begun are made by the sweep's command.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var r resuming
		return append(r.ProgramFlags(), cmdline.StoreFlag(), cmdline.JsonFlag(), r.ParallelFlag(), r.ChangedCodeFlag(),
			r.RecheckFlag(), cmdline.Flag(&r.all, "all", "continue the failed runs too"),
			r.IterationsFlag("the run's own target")), r.resume
	},
})

func (r *resuming) resume(c *cli.Context) error {
	with, err := r.ParsePrograms()
	if err != nil {
		return err
	}
	runs, err := r.selectRuns(c)
	if err != nil {
		return err
	}
	target := 0
	if r.Iterations != nil {
		if target, err = r.ParseIterations(); err != nil {
			return err
		}
	}
	var jobs []replay.Job
	var more []string
	for _, run := range runs {
		if target > 0 && run.Target > target {
			more = append(more, fmt.Sprintf("%s (%d)", run.Label(), run.Target))
		}
		job := replay.Job{Spec: run.Spec, Start: run.Source.Start, Target: max(target, run.Target)}
		if err := job.CheckSpec(); err != nil {
			return err
		}
		jobs = append(jobs, job)
	}
	noteFewer(c, target, more)
	if len(jobs) > 0 {
		_, err = runAndShow(c, &r.Flags, jobs, with.Launcher)
	}
	return err
}

// selectRuns returns the runs that the arguments name. Without arguments it returns the
// interrupted runs, with --all also the failed ones, except those whose program --env has to name.
func (r *resuming) selectRuns(c *cli.Context) ([]report.Run, error) {
	if r.all && c.NArg() > 0 {
		return nil, schema.Hint(fmt.Errorf("--all together with %s", c.Args().First()), "name runs, or give --all")
	}
	if c.NArg() > 0 {
		return cmdline.SelectSomeRuns(c)
	}
	var runs []report.Run
	err := cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) (err error) {
		runs, err = report.Select(tx, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	var stopped []report.Run
	var external, failed []string
	_, named := r.Given("env")
	for _, run := range runs {
		switch {
		case run.Status == tracker.Failed && !r.all:
			failed = append(failed, run.Label())
		case run.Status != tracker.Interrupted && run.Status != tracker.Failed:
		case run.Spec.Env.External != nil && !named:
			external = append(external, run.Label())
		default:
			stopped = append(stopped, run)
		}
	}
	switch {
	case len(stopped) > 0:
		noteLeftOut(c, failed, external)
		return stopped, nil
	case len(external) > 0:
		return nil, schema.Hint(fmt.Errorf("%s in an environment of another process: %s",
			textfmt.CountOf(len(external), "interrupted run"), someLabels(external)),
			"name the program: podtrack resume %s --env exec:CMD", textfmt.ShellQuote(external[0]))
	case len(failed) > 0:
		cmdline.PrintNotes(c.App.ErrWriter,
			[]string{"no run is interrupted; podtrack resume --all tries the failed runs again"})
	default:
		cmdline.PrintNotes(c.App.ErrWriter,
			[]string{"no run is interrupted; podtrack resume RUN --iterations N continues a complete one"})
	}
	return nil, nil
}

// noteLeftOut names the runs that stopped and are not continued, and the command that continues
// them.
func noteLeftOut(c *cli.Context, failed, external []string) {
	var notes []string
	if len(external) > 0 {
		notes = append(notes, fmt.Sprintf("left out, since the program of their environment is not named: %s; "+
			"podtrack resume %s --env exec:CMD", someLabels(external), textfmt.ShellQuote(external[0])))
	}
	if len(failed) > 0 {
		notes = append(notes, fmt.Sprintf("left out, since they failed: %s; podtrack resume --all retries them",
			someLabels(failed)))
	}
	cmdline.PrintNotes(c.App.ErrWriter, notes)
}

// noteFewer notes the runs that have, or are to have, more iterations than --iterations asks for, which lowers no
// target.
func noteFewer(c *cli.Context, target int, more []string) {
	if len(more) > 0 {
		cmdline.PrintNotes(c.App.ErrWriter, []string{fmt.Sprintf(
			"--iterations %d changes nothing for runs that have or request more already: %s", target, someLabels(more))})
	}
}

// someLabels lists at most 10 labels of runs.
func someLabels(labels []string) string {
	const most = 10
	text := strings.Join(labels[:min(len(labels), most)], ", ")
	if more := len(labels) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
