package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

const runDescription = `Runs POD and records every artefact. The same spec is the same run: running it
again resumes it, or says that it is complete. The defaults are the paper's.
Ctrl-C, SIGTERM and SIGHUP save a checkpoint; the same command goes on.`

func runCommand() *cli.Command {
	flags := []cli.Flag{
		storeFlag(), jsonFlag(),
		&cli.StringFlag{Name: "seeds", Usage: "one run for each seed in `A-B`, or in a list such as 0,3,7-9"},
		&cli.StringFlag{Name: "iterations", Usage: "go on until there are `N`", DefaultText: fmt.Sprint(pod.PaperIterations)},
		specFileFlag(),
		&cli.StringFlag{Name: "expect", Usage: "exit 1 unless `HEAD` is the head reached"},
		&cli.StringFlag{Name: "name", Usage: "name the run; fields in braces are filled in: `k{kappa}-s{seed}`"},
		parallelFlag(),
	}
	flags = append(append(flags, timeoutFlag()), keepFlags()...)
	return &cli.Command{
		Name:        "run",
		Usage:       "run POD, or resume a run",
		Description: runDescription,
		Flags:       append(flags, specFlags()...),
		Action:      run,
	}
}

func specFileFlag() cli.Flag {
	return &cli.StringFlag{Name: "spec", Usage: "take the spec from `FILE` (- for stdin), as show --spec prints it; other flags change it"}
}

func parallelFlag() cli.Flag {
	return &cli.IntFlag{Name: "parallel", Usage: "work on `N` runs at once", DefaultText: "the number of cores"}
}

func run(c *cli.Context) error {
	if c.NArg() > 0 {
		return schema.Hint(fmt.Errorf("run takes no argument %q", c.Args().First()), "name the fields of the spec, such as --seed 3")
	}
	jobs, err := parseJobs(c)
	if err != nil {
		return err
	}
	expect, err := parseExpect(c, jobs)
	if err != nil {
		return err
	}
	outcomes, err := performAndShow(c, jobs)
	if err != nil || expect == nil {
		return err
	}
	return checkHead(c, jobs[0], outcomes[0], *expect)
}

// performAndShow executes jobs and prints where their runs stand then.
func performAndShow(c *cli.Context, jobs []replay.Job) ([]replay.Outcome, error) {
	outcomes, err := perform(c, jobs)
	if err != nil && len(outcomes) == 0 {
		return nil, err
	}
	if shown := showOutcomes(c, jobs, outcomes); err == nil {
		err = shown
	}
	return outcomes, err
}

// perform executes jobs and returns the outcomes of those that were begun, in
// the order of the jobs, and the first error.
func perform(c *cli.Context, jobs []replay.Job) ([]replay.Outcome, error) {
	parallel, err := parallelOf(c)
	if err != nil {
		return nil, err
	}
	store := openStore(c)
	for _, j := range jobs {
		if _, err := j.Check(c.Context, store); err != nil {
			return nil, explain(c, jobs, err)
		}
	}
	if err := store.Create(c.Context); err != nil {
		return nil, explain(c, jobs, err)
	}
	bar := startProgress(c.App.ErrWriter, len(jobs), targets(jobs))
	byID := map[schema.Digest]replay.Outcome{}
	var mu sync.Mutex
	var first error
	writer := store.StartWriter(c.Context)
	engine := replay.NewEngine(store, writer, bar.report)
	engine.RunAll(c.Context, slices.Values(jobs), parallel, func(j replay.Job, o replay.Outcome) {
		mu.Lock()
		defer mu.Unlock()
		byID[o.Run] = o
		if first == nil || errors.Is(first, replay.ErrInterrupted) {
			first = cmp.Or(o.Err, first)
		}
	})
	err = closeWriter(writer)
	bar.stop()
	if err == nil && c.Context.Err() != nil && len(byID) < len(jobs) {
		err = replay.ErrInterrupted // before every job was begun
	}
	return inOrder(jobs, byID), explain(c, jobs, cmp.Or(first, err))
}

func targets(jobs []replay.Job) int64 {
	total := int64(0)
	for _, j := range jobs {
		total += int64(j.Target)
	}
	return total
}

// closeWriter saves what waits, even when the command was told to stop.
func closeWriter(w *tracker.Writer) error {
	ctx, cancel := closing()
	defer cancel()
	return w.Close(ctx)
}

func inOrder(jobs []replay.Job, byID map[schema.Digest]replay.Outcome) []replay.Outcome {
	var outcomes []replay.Outcome
	for _, j := range jobs {
		if id, err := j.ID(); err == nil {
			if o, ok := byID[id]; ok {
				outcomes = append(outcomes, o)
			}
		}
	}
	return outcomes
}

// explain adds to an interruption how to go on.
func explain(c *cli.Context, jobs []replay.Job, err error) error {
	if errors.Is(err, replay.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w, state saved", replay.ErrInterrupted), "to go on: %s", goOn(c, jobs))
	}
	if errors.Is(err, pod.ErrEnvFailed) {
		return schema.Hint(err, "%s; to go on from the saved state: %s", schema.Remedy(err), goOn(c, jobs))
	}
	return err
}

// goOn is the command that goes on with jobs: resume for one, since it may be a
// fork or have its spec from a pipe, and the same command for many.
func goOn(c *cli.Context, jobs []replay.Job) string {
	words := append([]string{thisProgram()}, os.Args[1:]...) // the same command
	if len(jobs) == 1 {
		id, err := jobs[0].ID()
		if err == nil {
			words = []string{thisProgram(), "resume", id.String()[:12], "--iterations", strconv.Itoa(jobs[0].Target)}
			words = append(words, outsideWords(c, c.String("env"))...)
		}
	}
	if !slices.Contains(words, "--store") {
		words = append(words, "--store", storePath(c))
	}
	return commandLine(words)
}

// thisProgram is how the program was called. What go run builds is gone by the
// time that somebody reads its name.
func thisProgram() string {
	if strings.Contains(os.Args[0], string(filepath.Separator)+"go-build") {
		return "go run ./cmd/podtrack"
	}
	return schema.ShellQuote(os.Args[0])
}

// commandLine is words as a shell reads them, the first one as it is.
func commandLine(words []string) string {
	line := words[0]
	for _, word := range words[1:] {
		line += " " + schema.ShellQuote(word)
	}
	return line
}

// runResult is what run prints for one run.
type runResult struct {
	Type string `json:"type"`
	report.Run
}

// showOutcomes prints the runs as they stand in the store: one in detail, many
// as a list.
func showOutcomes(c *cli.Context, jobs []replay.Job, outcomes []replay.Outcome) error {
	ctx, cancel := closing()
	defer cancel()
	var runs []report.Run
	var detail report.Detail
	err := openStore(c).View(ctx, func(tx *tracker.Tx) error {
		for _, o := range outcomes {
			if o.Run.IsZero() {
				continue
			}
			r, err := report.LoadRun(tx, o.Run.String())
			if err != nil {
				return err
			}
			runs = append(runs, r)
		}
		if len(jobs) == 1 && len(runs) == 1 {
			var err error
			detail, err = report.Describe(tx, runs[0])
			return err
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		return printRunLines(c, runs)
	case len(jobs) == 1 && len(runs) == 1:
		return printFinished(c.App.Writer, detail, outcomes[0])
	case len(runs) > 0:
		return listing(strings.Split(defaultColumns, ","), runs).print(c.App.Writer, formats[0])
	}
	return nil
}

// checkHead proves the head of a job's iterations. Those that were recorded
// before this command are executed again: a store alone proves nothing.
func checkHead(c *cli.Context, job replay.Job, o replay.Outcome, expect schema.Digest) error {
	var run tracker.Run
	var it schema.Iteration
	store := openStore(c)
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
		return schema.Hint(fmt.Errorf("%w: the head of %d iterations is %s, not %s", errDifference, job.Target, it.Link, expect),
			"check that the spec, the number of iterations and the head belong together")
	}
	if o.FromStore {
		judged, err := replay.Verify(c.Context, store, run, -1, nil, nil)
		if err != nil {
			return stoppedReplay(err)
		}
		if err := verdict([]replay.Verification{judged}, isOutside(c.String("env"))); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.App.ErrWriter, "proved: %d iterations of this spec have the head %s\n", job.Target, expect)
	return nil
}
