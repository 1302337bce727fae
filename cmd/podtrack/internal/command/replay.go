package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"
)

func replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "execute recorded iterations again and compare them bit for bit",
		ArgsUsage: "RUN[:K] | RUN… | FILTER",
		Description: `Every stage is executed from its recorded inputs and compared with what is
recorded of it, and so are evaluations. Exits 1 on a difference or damage, 125 where
something cannot be verified. Nothing is written.`,
		Flags: append(append(runner.ExternalFlags(), runner.StageFlags()...),
			cmdline.StoreFlag(), cmdline.JsonFlag(), runner.ParallelFlag(),
			&cli.StringFlag{Name: "sample", Usage: "verify part `N/T` of the work, or a share such as 10%, at random"},
		),
		Action: replayRuns,
	}
}

func replayRuns(c *cli.Context) error {
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	with, err := runner.ParsePrograms(c)
	if err != nil {
		return err
	}
	sample, err := parseSample(c.String("sample"))
	if err != nil {
		return err
	}
	parallel, err := runner.ParseParallel(c)
	if err != nil {
		return err
	}
	runs, only, err := selectToReplay(c)
	if err != nil {
		return err
	}
	verifications, err := verifyRuns(c, runs, replay.Scope{Iteration: only, Sample: sample}, parallel, with)
	if err != nil {
		return replayError(err)
	}
	evaluations, err := verifyEvaluations(c, runs, only, sample)
	if err != nil {
		return replayError(err)
	}
	if err := printVerifications(c, runs, verifications, evaluations); err != nil {
		return err
	}
	found := verdict(verifications, runner.IsExternal(c.String("env")))
	return worse(found, evaluationVerdict(evaluations))
}

// replayError returns err; for an interruption, an error that says that there was nothing to save.
func replayError(err error) error {
	if errors.Is(err, replay.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; a replay changes nothing", replay.ErrInterrupted),
			"rerun the command; --sample verifies part of it")
	}
	return err
}

// selectToReplay returns the runs to verify, and the iteration if one was named.
func selectToReplay(c *cli.Context) (runs []report.Run, only *int, err error) {
	args := c.Args().Slice()
	if len(args) > 1 && slices.ContainsFunc(args, isIteration) {
		return nil, only, schema.Hint(fmt.Errorf("RUN:K among %d arguments", len(args)),
			"replay one iteration at a time, or whole runs")
	}
	if len(args) == 1 && !report.IsTerm(args[0]) {
		ref, err := report.ParseRefOf(args[0], report.RefRun, report.RefIteration)
		if err != nil {
			return nil, only, err
		}
		args[0], only = ref.Run, ref.Iteration()
	}
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		runs, err = report.SelectSome(tx, args)
		return err
	})
	return runs, only, err
}

func isIteration(arg string) bool {
	_, err := report.ParseRefOf(arg, report.RefIteration)
	return err == nil
}

// verifyRuns verifies runs in parallel. It stops at the first run that cannot be executed at all.
func verifyRuns(c *cli.Context, runs []report.Run, scope replay.Scope, parallel int,
	with replay.Options) ([]replay.Verification, error) {
	store := cmdline.OpenStore(c)
	bar := cmdline.StartProgress(c.App.ErrWriter, len(runs), iterationsOf(runs, scope))
	defer bar.Stop()
	verifications := make([]replay.Verification, len(runs))
	g, ctx := errgroup.WithContext(c.Context)
	g.SetLimit(parallel)
	semaphore := replay.NewMemorySemaphore()
	with.Report = bar.Report
	for i, r := range runs {
		g.Go(func() error {
			leave, err := semaphore.Acquire(ctx, r.Spec)
			if err != nil {
				return err
			}
			defer leave()
			verifications[i], err = replay.Verify(ctx, store, r.Source, scope, with)
			return err
		})
	}
	return verifications, g.Wait()
}

func iterationsOf(runs []report.Run, scope replay.Scope) int64 {
	if scope.Iteration != nil {
		return int64(*scope.Iteration) + 1
	}
	total := int64(0)
	for _, r := range runs {
		total += int64(r.Iterations)
	}
	return total
}

// parseSample parses N/T, or P%, which is a random N of T = 100/P. It returns nil for "".
func parseSample(text string) (*replay.Sample, error) {
	if text == "" {
		return nil, nil
	}
	if share, found := strings.CutSuffix(text, "%"); found {
		p, err := strconv.ParseFloat(share, 64)
		if err == nil && p > 0 && p <= 100 && p >= 1e-6 {
			t := int(math.Round(100 / p))
			return &replay.Sample{N: 1 + rand.IntN(t), T: t}, nil
		}
	}
	part, of, _ := strings.Cut(text, "/")
	n, err1 := strconv.Atoi(part)
	t, err2 := strconv.Atoi(of)
	if err1 != nil || err2 != nil || n < 1 || n > t {
		return nil, schema.Hint(fmt.Errorf("sample %q", text), "write it as 1/10, the first of ten parts, or as 10%%; "+
			"a share is from 0.000001%% to 100%%")
	}
	return &replay.Sample{N: n, T: t}, nil
}

func printVerifications(c *cli.Context, runs []report.Run, verifications []replay.Verification,
	evaluations [][]evaluate.Verification) error {
	if c.Bool("json") {
		return printVerificationLines(c.App.Writer, verifications, evaluations)
	}
	if len(runs) == 1 {
		if err := printVerification(c.App.Writer, verifications[0]); err != nil {
			return err
		}
		return printVerifiedEvaluations(c.App.Writer, runs, evaluations)
	}
	pruned := slices.ContainsFunc(verifications, func(j replay.Verification) bool { return j.CountPruned() > 0 })
	g := table.New(table.Left("run"), table.Left("name"), table.Right("iterations"), table.Right("identical"),
		table.Right("stages verified"))
	if pruned {
		g.Columns = append(g.Columns, table.Right("by digest alone"))
	}
	g.Columns = append(g.Columns, table.Left("first difference"))
	for i, j := range verifications {
		identical := 0
		for _, it := range j.Iterations {
			if it.Identical {
				identical++
			}
		}
		row := []string{runs[i].Short, runs[i].Name, fmt.Sprint(len(j.Iterations)), fmt.Sprint(identical),
			fmt.Sprint(j.Count(replay.Identical) + j.Count(replay.Different) + j.Count(replay.Damaged))}
		if pruned {
			row = append(row, fmt.Sprint(j.CountPruned()))
		}
		g.Add(append(row, reason(j))...)
	}
	if err := g.Print(c.App.Writer, table.Formats[0]); err != nil {
		return err
	}
	return printVerifiedEvaluations(c.App.Writer, runs, evaluations)
}

// verificationLine is one line of the output of replay --json.
type verificationLine struct {
	Type string `json:"type"`
	replay.Verification
	Evaluations []evaluate.Verification `json:"evaluations,omitempty"`
}

func printVerificationLines(w io.Writer, verifications []replay.Verification,
	evaluations [][]evaluate.Verification) error {
	e := json.NewEncoder(w)
	var errs []error
	for i, j := range verifications {
		errs = append(errs, e.Encode(verificationLine{Type: "replay", Verification: j, Evaluations: evaluations[i]}))
	}
	return errors.Join(errs...)
}

// printVerification prints the verdicts on one run and their summary.
func printVerification(w io.Writer, j replay.Verification) error {
	if err := verificationTable(j).Print(w, table.Formats[0]); err != nil {
		return err
	}
	var counts []string
	for _, v := range []replay.Verdict{replay.Identical, replay.Different, replay.Damaged, replay.Unverified,
		replay.Skipped} {
		if n := j.Count(v); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	fmt.Fprintf(w, "\nstages: %s\n", strings.Join(counts, ", "))
	if j.CountLevel(schema.Verified)+j.CountLevel(schema.Claimed) > 0 {
		fmt.Fprintf(w, "levels: %s\n", levelCounts(j.CountLevel))
	}
	if n := j.CountPruned(); n > 0 {
		fmt.Fprintf(w, "pruned: %s not in the store; what was recomputed has the recorded digests\n",
			cmdline.Plural(n, "record"))
	}
	return nil
}

// levelCounts returns how many of some things have which level.
func levelCounts(count func(schema.Level) int) string {
	var parts []string
	for _, level := range schema.Levels() {
		parts = append(parts, fmt.Sprintf("%d %s", count(level), level))
	}
	return strings.Join(parts, ", ")
}

// verificationTable returns a table with one row per iteration and one column per verified stage.
func verificationTable(j replay.Verification) *table.Table {
	g := table.New(table.Right("k"))
	for _, stage := range replay.Stages {
		if slices.ContainsFunc(j.Iterations,
			func(it replay.IterationResult) bool { return verificationVerdict(it, stage) != table.None }) {
			g.Columns = append(g.Columns, table.Left(stage))
		}
	}
	stages := slices.Clone(g.Columns[1:])
	g.Columns = append(g.Columns, table.Left("why"))
	for _, it := range j.Iterations {
		row := []string{fmt.Sprint(it.K)}
		for _, stage := range stages {
			row = append(row, verificationVerdict(it, stage.Title))
		}
		var why []string
		for _, s := range it.Stages {
			if s.Reason != "" && !slices.Contains(why, s.Reason) {
				why = append(why, s.Reason)
			}
		}
		g.Add(append(row, strings.Join(why, "; "))...)
	}
	return g
}

// verificationVerdict returns the verdict on a stage of an iteration, none if the stage leaves no
// record.
func verificationVerdict(it replay.IterationResult, stage string) string {
	for _, s := range it.Stages {
		if s.Stage == stage {
			if s.Verdict == replay.Unverified && s.Level != "" {
				return string(s.Level)
			}
			return string(s.Verdict)
		}
	}
	return table.None
}

// reason returns the first reason given for a stage's verdict.
func reason(j replay.Verification) string {
	for _, it := range j.Iterations {
		for _, s := range it.Stages {
			if s.Reason != "" {
				return s.Reason
			}
		}
	}
	return ""
}

// verdict returns the error for the verifications, with a hint to --env if a run needs an external
// environment.
func verdict(verifications []replay.Verification, elsewhere bool) error {
	bad, unverified, verified, outside, external, first := 0, 0, 0, 0, 0, ""
	for _, j := range verifications {
		if n := j.Count(replay.Different) + j.Count(replay.Damaged); n > 0 {
			bad += n
			first = cmp.Or(first, reason(j))
		}
		unverified += j.Count(replay.Unverified)
		outside += j.CountWithoutEnv()
		external += j.CountWithoutStage()
		verified += j.Count(replay.Identical)
	}
	switch {
	case bad > 0:
		blame := "these records were altered, damaged, or made by another program than the spec says"
		if elsewhere {
			blame += "; or the environment is not reproducible, which podtrack env check finds out"
		}
		return schema.Hint(fmt.Errorf("%w: stages that do not hold: %d; the first: %s", cmdline.ErrDifference, bad, first),
			"%s", blame)
	case unverified > 0 && unverified == external:
		return schema.Hint(fmt.Errorf("a stage that %w (%d times) %w", pod.ErrNoStage, external, replay.ErrUnverifiable),
			"name the programs to recompute them too: --collect, --method, --select, --learner or --measure "+
				"exec:CMD; all other stages hold, and of these what their records must fulfil")
	case unverified > 0 && unverified == outside:
		return schema.Hint(fmt.Errorf("stages in an environment that %w (%d) %w", replay.ErrNoEnvLauncher, outside,
			replay.ErrUnverifiable),
			"name the program to verify them too: --env exec:CMD or --env gym:NAME; all other stages hold")
	case unverified > 0:
		return schema.Hint(fmt.Errorf("stages whose inputs are damaged (%d) %w", unverified, replay.ErrUnverifiable),
			"replay the runs that share those records, or make the run again")
	case verified == 0:
		return schema.Hint(fmt.Errorf("nothing was verified, so the runs %w", replay.ErrUnverifiable),
			"take a larger sample, or runs that have iterations")
	}
	return nil
}
