package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/remedies"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
	"github.com/urfave/cli/v2"
)

// RunJobs executes jobs; launcher is that of their environment if it is external, else nil.
// It returns the outcomes of those that were begun, in the order
// of the jobs, and the first error.
func RunJobs(c *cli.Context, jobs []replay.Job, launcher replay.EnvLauncher) ([]replay.Outcome, error) {
	parallel, err := ParseParallel(c)
	if err != nil {
		return nil, err
	}
	stages, err := ParseStages(c)
	if err != nil {
		return nil, err
	}
	end, err := openJobs(c, jobs, stages)
	if err != nil {
		return nil, err
	}
	defer end()
	store := cmdline.OpenStore(c)
	with := replay.Options{
		Launcher: launcher, Stages: stages, Code: provenance.Read(c.Context), ChangedCode: ParseChangedCode(c),
	}
	for i, j := range jobs {
		env, err := j.Check(c.Context, store, with)
		if err != nil && c.Context.Err() == nil {
			return nil, err // nothing was begun
		}
		if err != nil {
			return nil, Explain(c, jobs, err)
		}
		if i == 0 {
			printFactoringTime(c, env, j.Spec)
			printObservedMemory(c, env, j)
		}
	}
	if err := store.Create(c.Context); err != nil {
		return nil, Explain(c, jobs, err)
	}
	bar := cmdline.StartProgress(c.App.ErrWriter, len(jobs), targets(jobs))
	watch := watchFindings(c.Context, store, bar.Note)
	with.Report = func(e replay.Event) {
		bar.Report(e)
		watch.report(e)
	}
	outcomes, err := replay.RunJobs(c.Context, store, jobs, parallel, with, func(w *tracker.Writer) error {
		watch.wait()
		return CloseWriter(c.Context, w)
	})
	bar.Stop()
	for _, o := range outcomes {
		cmdline.PrintNotes(c.App.ErrWriter, cmdline.CodeNotes(fmt.Sprintf("run %.7s", o.Run), o.Changes...))
	}
	return outcomes, Explain(c, jobs, err)
}

// UntilEnd is the flag with which a run has no target: what collects ends it.
const UntilEnd = "until-end"

// openJobs makes a job open if the flags say so, and keeps the programs that can serve many of its iterations until the
// function that it returns is called.
func openJobs(c *cli.Context, jobs []replay.Job, stages *external.StagePrograms) (end func(), err error) {
	if !c.Bool(UntilEnd) {
		return func() {}, nil
	}
	if len(jobs) != 1 || jobs[0].Spec.Stages.Of(schema.CollectStage) == nil {
		return nil, schema.Hint(fmt.Errorf("--%s without one run whose steps a program takes", UntilEnd),
			"name the program by --collect exec:CMD, or leave --%s out", UntilEnd)
	}
	jobs[0].Open = true
	kept := stages.KeepRecorded()
	return func() { _ = kept() }, nil
}

// printFactoringTime prints how long factoring can take, if that is long.
func printFactoringTime(c *cli.Context, env pod.Env, spec schema.Spec) {
	if t := pod.EstimateFactoringTime(env, spec); t >= 10*time.Second {
		fmt.Fprintf(c.App.ErrWriter, "%d features: if all of them change, factoring takes about %v an iteration\n",
			len(env.Features()), t.Round(time.Second))
	}
}

// printObservedMemory prints how much memory a run can take whose states are known only once they are observed,
// if that is much.
func printObservedMemory(c *cli.Context, env pod.Env, j replay.Job) {
	need := pod.EstimateObservedMemory(env, j.Spec)
	if need < 1<<30 {
		return
	}
	fmt.Fprintf(c.App.ErrWriter, "%d features: if no observation recurs, %d steps take about %d GiB of memory\n",
		len(env.Features()), j.Spec.Steps, need>>30)
	if free, known := memory.Free(); known && need > free {
		fmt.Fprintf(c.App.ErrWriter, "  %d GiB are free: take fewer --steps, or features in bins\n", free>>30)
	}
	if e, ok := pod.As[pod.GrowingEnv](env); ok && e.Observed().CanExceed(j.Spec.Steps*int64(j.Target)) {
		fmt.Fprintln(c.App.ErrWriter, "  a run has room for 4194304 different ones, of 1.9 GiB together")
	}
}

// targets returns the number of iterations of all jobs.
func targets(jobs []replay.Job) int64 {
	total := int64(0)
	for _, j := range jobs {
		total += int64(j.Target)
	}
	return total
}

// CloseWriter saves what is still queued, even if the command was told to stop.
func CloseWriter(command context.Context, w *tracker.Writer) error {
	ctx, cancel := cmdline.ShutdownContext(command)
	defer cancel()
	return w.Close(ctx)
}

// Explain adds to an interruption, or to a failed environment, the command that goes
// on.
func Explain(c *cli.Context, jobs []replay.Job, err error) error {
	if errors.Is(err, replay.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w, state saved", replay.ErrInterrupted), "to continue: %s", continueCommand(c, jobs))
	}
	if errors.Is(err, pod.ErrEnvFailed) || errors.Is(err, pod.ErrStageFailed) {
		return schema.Hint(err, "%s; to continue from the saved state: %s", remedies.Of(err), continueCommand(c, jobs))
	}
	return err
}

// continueCommand returns the command that continues jobs: resume for a single one, since it
// may be a fork or have its spec from a pipe, and the same command for several.
func continueCommand(c *cli.Context, jobs []replay.Job) string {
	words := append([]string{cmdline.ThisProgram()}, os.Args[1:]...) // the same command
	if len(jobs) == 1 {
		id, err := jobs[0].ID()
		if err == nil {
			words = []string{cmdline.ThisProgram(), "resume", id.String()[:12], "--iterations",
				strconv.Itoa(jobs[0].Target)}
			words = append(append(words, ExternalWords(c, c.String("env"))...), StageWords(c, stageTexts(c))...)
		}
	}
	if !slices.Contains(words, "--store") {
		words = append(words, "--store", cmdline.StorePath(c))
	}
	return cmdline.CommandLine(words)
}

// changedCode is the flag with which runs go on although files of their programs have changed.
const changedCode = "changed-code"

// ChangedCodeFlag returns the flag --changed-code.
func ChangedCodeFlag() cli.Flag {
	return &cli.BoolFlag{Name: changedCode,
		Usage: "go on although files of the run's programs have changed and their versions have not"}
}

// ParseChangedCode returns whether the flag is given.
func ParseChangedCode(c *cli.Context) bool { return c.Bool(changedCode) }

// ParallelFlag returns the flag --parallel.
func ParallelFlag() cli.Flag {
	return &cli.IntFlag{Name: "parallel", Usage: "work on `N` runs at once", DefaultText: "the number of cores"}
}

// ParseParallel returns how many runs to work on at once.
func ParseParallel(c *cli.Context) (int, error) {
	n := c.Int("parallel")
	if c.IsSet("parallel") && n < 1 {
		return 0, schema.Hint(fmt.Errorf("parallel %d", n), "work on at least 1 run at once")
	}
	return cmp.Or(n, runtime.NumCPU()), nil
}

// SpecFileFlag returns the flag --spec.
func SpecFileFlag() cli.Flag {
	return &cli.StringFlag{Name: "spec",
		Usage: "take the spec from `FILE` (- for stdin), as show --spec prints it; other flags change it"}
}

// RunsFlag returns the flag --runs.
func RunsFlag() cli.Flag {
	return &cli.StringFlag{Name: "runs", Usage: "seeds 0 to `N`−1 in each setting",
		DefaultText: fmt.Sprint(table1.PaperRuns)}
}

// ParseRuns returns the number of seeds that --runs gives, by default the paper's.
func ParseRuns(text *string) (int, error) {
	if text == nil {
		return table1.PaperRuns, nil
	}
	n, err := strconv.Atoi(textform.PlainInteger(*text))
	if err != nil || n < 1 || n > schema.MaxSeeds {
		return 0, schema.Hint(fmt.Errorf("runs %q", *text), "use a whole number from 1 to %d; the paper's is %d",
			schema.MaxSeeds, table1.PaperRuns)
	}
	return n, nil
}
