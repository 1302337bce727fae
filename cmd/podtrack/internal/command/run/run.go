// Package run has the commands that make runs: run, resume, fork, import and reproduce. The command sweep is package
// run/sweep.
package run

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/warnings"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

const runDescription = `Runs POD and records every artefact. The same spec is the same run: running it
again resumes it, or says that it is complete. The defaults are the paper's.
Ctrl-C, SIGTERM and SIGHUP save a checkpoint; rerun the command to continue.`

var _ = cmdline.Register(cmdline.Command{
	Name: "run", Group: cmdline.GroupRun, Place: 1,
	Example:     "podtrack run --bits 7 --seeds 0-2 --iterations 4 --name 'ring{seed}'",
	JSON:        []any{runResult{}},
	Usage:       "run POD, or resume a run",
	Description: runDescription,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var r running
		flags := []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), cmdline.QuietFlag(),
			cmdline.Optional(&r.Seeds, "seeds", "one run for each seed in `A-B`, or in a list such as 0,3,7-9", ""),
			r.IterationsFlag(fmt.Sprint(pod.PaperIterations)),
			cmdline.Flag(&r.UntilEnd, "until-end", "with --collect exec:CMD: continue until the program says that "+
				"there are no more iterations; without --iterations the run is complete then"),
			cmdline.Optional(&r.Unfinished, "unfinished", "true: more iterations will follow, and the run is not complete "+
				"until then; false: none will", "as said before"),
			cmdline.Flag(&r.Failed, "failed", "with --unfinished: what makes its iterations has failed, with the error `TEXT`"),
			r.SpecFileFlag(),
			cmdline.Optional(&r.expect, "expect", "exit 1 unless `HEAD` is the head reached", ""),
			cmdline.Flag(&r.Name, "name", "name the run; fields in braces are filled in: `k{kappa}-s{seed}`"),
			r.ParallelFlag(), r.ChangedCodeFlag(), r.RecheckFlag(), r.TimeoutFlag(),
		}
		return slices.Concat(flags, append(r.StudyFlags(), r.KeepFlag()), r.SpecFlags()), r.run
	},
})

// running is the command run, with its flags.
type running struct {
	runner.Flags
	expect *string
}

func (r *running) run(c *cli.Context) error {
	if c.NArg() > 0 {
		hint := "name the fields of the spec, such as --seed 3"
		if near := textfmt.Suggest(c.Args().First(), []string{"check"}); near != "" {
			hint = "did you mean podtrack run " + near + "? " + hint
		}
		return schema.Hint(fmt.Errorf("run takes no argument %q", c.Args().First()), "%s", hint)
	}
	jobs, launcher, err := r.ParseJobs(c)
	if err != nil {
		return err
	}
	var expect schema.Digest
	if r.expect != nil {
		if len(jobs) != 1 {
			return schema.Hint(fmt.Errorf("--expect with %d runs", len(jobs)), "prove one head at a time")
		}
		if expect, err = cmdline.ParseHead(*r.expect); err != nil {
			return err
		}
	}
	outcomes, err := runAndShow(c, &r.Flags, jobs, launcher)
	var more []string
	for _, o := range outcomes {
		if r.Iterations != nil && !r.UntilEnd && o.Iterations > jobs[0].Target {
			more = append(more, fmt.Sprintf("%s (%d)", o.Run.String()[:7], o.Iterations))
		}
	}
	noteFewer(c, jobs[0].Target, more)
	if err != nil || r.expect == nil {
		return err
	}
	return r.checkHead(c, jobs[0], outcomes[0], expect, launcher)
}

// runAndShow executes the jobs and prints the state of their runs.
func runAndShow(
	c *cli.Context, with *runner.Flags, jobs []replay.Job, launcher replay.EnvLauncher,
) ([]replay.Outcome, error) {
	outcomes, err := with.RunJobs(c, jobs, launcher)
	if err != nil && len(outcomes) == 0 {
		return nil, err
	}
	if shown := showOutcomes(c, jobs, outcomes); err == nil {
		err = shown
	}
	return outcomes, err
}

// showOutcomes prints the recorded state of the runs: a single run in detail, several as a list.
func showOutcomes(c *cli.Context, jobs []replay.Job, outcomes []replay.Outcome) error {
	ctx, cancel := cmdline.ShutdownContext(c.Context)
	defer cancel()
	var runs []report.Run
	var detail report.Detail
	err := cmdline.OpenStore(c).View(ctx, func(tx *tracker.Tx) error {
		for _, o := range outcomes {
			if o.Run.IsZero() {
				continue
			}
			source, err := tx.ReadRun(o.Run)
			if err != nil {
				return err
			}
			r, err := report.Summarise(tx, source)
			if err != nil {
				return err
			}
			runs = append(runs, r)
		}
		if len(jobs) == 1 && len(runs) == 1 {
			var err error
			detail, err = report.Describe(tx, runs[0])
			runs[0].Warnings = detail.Warnings
			return err
		}
		return lookForWarnings(tx, runs)
	})
	for i := range runs {
		hints.SetTexts(&runs[i])
	}
	hints.SetTexts(&detail.Run)
	switch {
	case err != nil:
		return err
	case cmdline.WantsJSON(c):
		var lines cmdline.Lines
		for _, r := range runs {
			lines = append(lines, runResult{Type: "run", Run: r})
		}
		return cmdline.PrintJSON(c.App.Writer, lines)
	case c.Bool("quiet"):
		runview.PrintIDs(table.Text{Writer: c.App.Writer}, runs)
	case len(jobs) == 1 && len(runs) == 1:
		printFinished(c, detail, outcomes[0])
	case len(runs) > 0:
		g := runview.Hideable(runview.NewListing(runview.ColumnsFor(runs), runs, false))
		err := g.Print(c.App.Writer, table.Formats[0])
		runview.PrintShared(c.App.Writer, runs)
		printWarningsOfRuns(table.Text{Writer: c.App.Writer}, runs)
		return err
	}
	return nil
}

// checkHead verifies the head of a job's iterations. It executes again those recorded by earlier
// commands, since a store alone proves nothing.
func (r *running) checkHead(
	c *cli.Context, job replay.Job, o replay.Outcome, expect schema.Digest, launcher replay.EnvLauncher,
) error {
	var run tracker.Run
	var it schema.Iteration
	store := cmdline.OpenStore(c)
	err := store.View(c.Context, func(tx *tracker.Tx) (err error) {
		if run, err = tx.ReadRun(o.Run); err != nil {
			return err
		}
		it, err = tx.ReadIteration(o.Run, job.Target-1)
		return err
	})
	if err != nil {
		return err
	}
	if it.Link != expect {
		return schema.Hint(fmt.Errorf("%w: the head of %d iterations is %s, not %s", cmdline.ErrDifference, job.Target,
			it.Link, expect),
			"check that the spec, the number of iterations and the head belong together")
	}
	if o.FromStore {
		stages, err := r.ParseStages()
		if err != nil {
			return err
		}
		with := replay.Options{Launcher: launcher, Stages: stages}
		verified, err := replay.Verify(c.Context, store, run, replay.Scope{}, with)
		if err != nil {
			return cmdline.Interrupted(err, runner.ReplayLeft, runner.ReplayRemedy)
		}
		if err := runner.Verdict([]replay.Verification{verified}, r.HasExternalEnv(), false); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.App.ErrWriter, "proved: %d iterations of this spec have the head %s\n", job.Target, expect)
	return nil
}

// runResult is the output of run for one run.
type runResult struct {
	Type string `json:"type"`
	report.Run
}

// printFinished prints the result of run for a single run.
func printFinished(c *cli.Context, d report.Detail, o replay.Outcome) {
	w := table.Text{Writer: c.App.Writer}
	runview.PrintHead(w, d)
	w.Table(runview.NewIterationTable(d, false))
	runview.PrintPurposes(w, d)
	runview.PrintFit(w, d)
	runview.PrintWarnings(w, d.Warnings)
	if o.Err != nil {
		return
	}
	w.Blank()
	w.Prose("%s", whatWasDone(d, o))
	next := nextCommands(d)
	store := ""
	if c.IsSet("store") {
		store = " --store " + textfmt.ShellQuote(cmdline.StorePath(c))
	}
	width := 0
	for _, n := range next {
		width = max(width, len(n.command))
	}
	for _, n := range next {
		fmt.Fprintf(w, "  %-*s   # %s\n", width+len(store), n.command+store, n.shows)
	}
}

// whatWasDone returns a sentence on what a run that did not fail has done.
func whatWasDone(d report.Detail, o replay.Outcome) string {
	switch {
	case o.Resumed == o.Iterations && d.Status != tracker.Complete && d.Iterations >= d.Target:
		return "There already: nothing was run. It was not closed: the program that records it goes on, or closes it."
	case o.Resumed == o.Iterations && d.Status != tracker.Complete:
		return fmt.Sprintf("There already: nothing was run. podtrack resume %s continues to %d iterations.",
			textfmt.ShellQuote(d.Label()), d.Target)
	case o.Resumed == o.Iterations && d.Env == envs.RowsName:
		return "Complete already: nothing was run."
	case o.Resumed == o.Iterations:
		return fmt.Sprintf("Complete already: nothing was run. --iterations %d continues it.", o.Iterations+1)
	case d.Keep != nil:
		return "Every digest and all that is kept is recorded. See next:"
	}
	return "Every artefact is recorded. See next:"
}

// A nextCommand is a command for a run that was made, and what it shows.
type nextCommand struct{ command, shows string }

// nextCommands returns three commands with which people go on from a run.
func nextCommands(d report.Detail) []nextCommand {
	label := textfmt.ShellQuote(d.Label())
	next := []nextCommand{{"podtrack show " + label, "everything about the run; podtrack help glossary defines its words"}}
	if runview.IsPaperAsWritten(d.Spec) {
		next[0] = nextCommand{"podtrack run --reading as-published", "the other reading, beside the paper's Table 1"}
	}
	hasOptions := slices.ContainsFunc(d.History, func(it report.Iteration) bool { return it.Options > 1 })
	if hasOptions && d.Keep == nil {
		next = append(next, nextCommand{"podtrack why " + label + ":#1", "what made option 1"})
	}
	return append(next, nextCommand{"podtrack serve --open", "the runs in a browser"})
}

// maxLookedAt is the number of runs of a command in which warnings are looked for.
const maxLookedAt = 16

// lookForWarnings looks for warnings in the first of several runs.
func lookForWarnings(tx *tracker.Tx, runs []report.Run) error {
	for i := range runs[:min(len(runs), maxLookedAt)] {
		if err := report.LoadWarnings(tx, &runs[i]); err != nil {
			return err
		}
	}
	return nil
}

// printWarningsOfRuns prints each kind of warning once, with the text of the first run that has it.
func printWarningsOfRuns(w table.Text, runs []report.Run) {
	counts := map[warnings.Kind]int{}
	var firsts []warnings.Warning
	lookedAt := 0
	for _, r := range runs {
		if r.Warnings != nil {
			lookedAt++
		}
		for _, f := range r.Warnings {
			if counts[f.Kind]++; counts[f.Kind] == 1 {
				firsts = append(firsts, f)
			}
		}
	}
	for _, f := range firsts {
		runview.PrintWarning(w, f, fmt.Sprintf(" (in %d of %d runs)", counts[f.Kind], lookedAt))
	}
}
