package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// whyWithout forks the run, without the option in its action set, runs the fork as far as the run
// goes, and prints how they differ. Unless it is to be kept, the fork is made in a store of its own.
func whyWithout(c *cli.Context, run *diff.Run, q why.Question, format string) error {
	for _, name := range []string{"depth", "ablate", "state", "forward"} {
		if c.IsSet(name) {
			return schema.Hint(fmt.Errorf("--%s with --without", name), "leave one of them out")
		}
	}
	if format != whyFormats[0] && format != "json" {
		return schema.Hint(errors.New("--without as "+format), "a counterfactual is printed as text or json")
	}
	with, err := runner.ParsePrograms(c)
	if err != nil {
		return err
	}
	job, x, err := withoutJob(c.Context, run, q.Ref)
	if err != nil {
		return whyError(err)
	}
	x.Kept = c.Bool("keep")
	if c.IsSet("name") && !x.Kept {
		return schema.Hint(errors.New("--name without --keep"), "add --keep: a fork that is not kept has no name")
	}
	if x.Kept {
		if job.Name, err = nameFork(c, run, job, x.Number); err != nil {
			return whyError(err)
		}
	}
	if err := makeWithout(c, run, job, with, &x); err != nil {
		return err
	}
	if format == "json" {
		return cmdline.PrintJSON(c.App.Writer, x)
	}
	return printCounterfactual(c, run, x)
}

// makeWithout makes the fork and compares the run with it. Where the fork is not kept, its store is
// removed before anything is printed: the reader of a pipe may end this process.
func makeWithout(
	c *cli.Context, run *diff.Run, job replay.Job, with replay.Options, x *counterfactual,
) error {
	store, discard, err := counterfactualStore(c, run, x.Kept)
	if err != nil {
		return whyError(err)
	}
	defer discard()
	outcome, err := runFork(c, store, job, with)
	if err != nil {
		if x.Kept {
			return err
		}
		return whyError(err)
	}
	x.Run = outcome.Run
	fork, err := diff.Open(c.Context, store, x.Run.String())
	if err != nil {
		return err
	}
	x.Name = fork.Name
	if x.Diff, err = diff.CompareRuns(c.Context, run, fork, diff.Limits{}); err != nil {
		return whyError(err)
	}
	x.Later = countLater(x.Diff, x.From)
	if x.Measures, err = readMeasuresWithout(c.Context, run, fork, x.From); err != nil {
		return whyError(err)
	}
	return nil
}

// withoutJob returns the job of the fork.
func withoutJob(ctx context.Context, run *diff.Run, ref report.Ref) (job replay.Job, x counterfactual, err error) {
	if err := run.CheckIteration(ref.K); err != nil {
		return job, x, err
	}
	number, err := run.OptionNumber(ctx, ref.K, ref.J, ref.Sign)
	if err != nil {
		return job, x, err
	}
	if number == nil {
		return job, x, schema.Hint(fmt.Errorf("iteration %d of run %s %w %s", ref.K, run.Label(), diff.ErrNoOption,
			report.OptionName(ref.J, ref.Sign)), "podtrack options %s lists them", textform.ShellQuote(run.Label()))
	}
	x = counterfactual{Option: run.OptionRef(ref.K, ref.J, ref.Sign), Number: *number, From: ref.K + 1}
	switch spec := run.Spec; {
	case x.From >= len(run.Iterations):
		return job, x, schema.Hint(fmt.Errorf("%s was found in the last iteration, so that nothing was done with it yet",
			x.Option), "podtrack resume %s --iterations %d continues the run", textform.ShellQuote(run.Label()), x.From+1)
	case slices.Contains(spec.LeaveOut, uint64(x.Number)):
		return job, x, schema.Hint(fmt.Errorf("run %s leaves option %d out already", run.Label(), x.Number),
			"podtrack show %s shows its spec", textform.ShellQuote(run.Label()))
	}
	job.Spec = run.Spec
	job.Spec.LeaveOut = append(slices.Clone(run.Spec.LeaveOut), uint64(x.Number))
	slices.Sort(job.Spec.LeaveOut)
	if err := job.Spec.Validate(); err != nil {
		return job, x, err
	}
	job.Start, job.Fork = &run.Iterations[ref.K].Link, &tracker.Fork{Parent: run.ID, K: x.From}
	job.Target = len(run.Iterations)
	return job, x, nil
}

// counterfactualStore returns the store in which the fork is made: the run's own, or one with a copy
// of the run that discard removes.
func counterfactualStore(c *cli.Context, run *diff.Run, keep bool) (store *tracker.Store, discard func(), err error) {
	if keep {
		return cmdline.OpenStore(c), func() {}, nil
	}
	folder, err := os.MkdirTemp("", "podtrack-without-")
	if err != nil {
		return nil, nil, err
	}
	discard = func() { _ = os.RemoveAll(folder) }
	path := filepath.Join(folder, "podtrack.db")
	if err := buildBundle(c.Context, cmdline.OpenStore(c), []report.Run{run.Run}, path); err != nil {
		discard()
		return nil, nil, err
	}
	return tracker.New(path, tracker.Options{}), discard, nil
}

// runFork runs a job in a store.
func runFork(
	c *cli.Context, store *tracker.Store, job replay.Job, with replay.Options,
) (outcome replay.Outcome, err error) {
	if _, err := job.Check(c.Context, store, with); err != nil {
		return outcome, err
	}
	bar := cmdline.StartProgress(c.App.ErrWriter, 1, int64(job.Target))
	with.Report = bar.Report
	outcomes, err := replay.RunJobs(c.Context, store, []replay.Job{job}, 1, with,
		func(w *tracker.Writer) error { return runner.CloseWriter(c.Context, w) })
	bar.Stop()
	if len(outcomes) > 0 {
		outcome = outcomes[0]
	}
	return outcome, err
}
