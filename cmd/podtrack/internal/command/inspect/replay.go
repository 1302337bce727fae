package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// replaying is the command replay, with its flags.
type replaying struct {
	runner.Flags
	sample *string
}

var _ = cmdline.Register(cmdline.Command{
	Name: "replay", Group: cmdline.GroupInspect, Place: 6,
	Example: "podtrack replay ring0",
	JSON:    []any{verificationLine{}},
	Usage:   "execute recorded iterations again and compare them bit for bit",
	Args:    "RUN[:K] | RUN… | FILTER",
	Description: `Executes every stage again from its recorded inputs, and compares the
result with what was recorded. Exits 1 on a difference or damage, 125 if something
cannot be verified. Nothing is written.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var p replaying
		return append(p.ProgramFlags(), cmdline.StoreFlag(), cmdline.JsonFlag(), p.ParallelFlag(),
			cmdline.Optional(&p.sample, "sample", "verify part `N/T` of the work, or a share such as 10%, at random", ""),
		), cmdline.Interruptible(cmdline.Answering(p.verify), runner.ReplayLeft, runner.ReplayRemedy)
	},
})

func (r *replaying) verify(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.SomeArgs(c); err != nil {
		return a, err
	}
	with, err := r.ParsePrograms()
	if err != nil {
		return a, err
	}
	sample, err := runner.ParseSample(r.sample)
	if err != nil {
		return a, err
	}
	parallel, err := r.ParseParallel()
	if err != nil {
		return a, err
	}
	runs, only, err := selectToReplay(c)
	if err != nil {
		return a, err
	}
	verifications, changed, err := verifyRuns(c, runs, replay.Scope{Iteration: only, Sample: sample}, parallel, with)
	if err != nil {
		return a, err
	}
	var lines cmdline.Lines
	for _, v := range verifications {
		lines = append(lines, verificationLine{Type: "replay", Verification: v})
	}
	return cmdline.Answer{
		JSON: lines,
		Text: func(w table.Text) {
			if len(runs) == 1 {
				printVerification(w, verifications[0])
			} else {
				var rows []verifiedRun
				for i, v := range verifications {
					rows = append(rows, verifiedRun{runs[i], v})
				}
				w.Table(table.Of(rows, verifiedColumns...))
			}
		},
		Verdict: runner.Verdict(verifications, r.HasExternalEnv(), changed),
	}, nil
}

// selectToReplay returns the runs to verify, and the iteration if one was named.
func selectToReplay(c *cli.Context) (runs []report.Run, only *int, err error) {
	args := c.Args().Slice()
	if len(args) > 1 && slices.ContainsFunc(args, func(arg string) bool {
		_, err := report.ParseRefOf(arg, report.RefIteration)
		return err == nil
	}) {
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
	runs, err = cmdline.SelectSomeRunsOf(c.Context, cmdline.OpenStore(c), args)
	return runs, only, err
}

// verifyRuns verifies runs in parallel, and reports whether the environment of one that does not hold has changed,
// which it notes. It stops at the first run that cannot be executed at all.
func verifyRuns(c *cli.Context, runs []report.Run, scope replay.Scope, parallel int,
	with replay.Options) (verified []replay.Verification, changed bool, err error) {
	bar := cmdline.StartProgress(c.App.ErrWriter, len(runs), runner.IterationsOf(runs, scope))
	defer bar.Stop()
	with.Report = bar.Report
	sources := make([]tracker.Run, len(runs))
	for i, r := range runs {
		sources[i] = r.Source
	}
	verified, err = replay.VerifyAll(c.Context, cmdline.OpenStore(c), sources, scope, parallel, with)
	if err != nil || with.Launcher == nil {
		return verified, false, err
	}
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		for i, run := range sources {
			if verified[i].Identical() {
				continue
			}
			changes, err := replay.EnvChanges(tx, run.ID, run.Spec.Env, with.Launcher)
			if err != nil {
				return err
			}
			notes := cmdline.CodeNotes(fmt.Sprintf("run %.7s", run.ID), changes...)
			cmdline.PrintNotes(c.App.ErrWriter, notes)
			changed = changed || len(notes) > 0
		}
		return nil
	})
	return verified, changed, err
}

// verifiedRun is what the replay of a run found.
type verifiedRun struct {
	Run report.Run
	Of  replay.Verification
}

var verifiedColumns = []table.Column{
	table.Left("Run.short").As("run"), table.Left("Run.name").As("name"),
	table.Value(table.Right("iterations"), func(r *verifiedRun) any { return len(r.Of.Iterations) }),
	table.Value(table.Right("identical"), func(r *verifiedRun) any {
		identical := 0
		for _, it := range r.Of.Iterations {
			if it.Identical {
				identical++
			}
		}
		return identical
	}),
	table.Value(table.Right("stages verified"), func(r *verifiedRun) any {
		return r.Of.Count(replay.Identical) + r.Of.Count(replay.Different) + r.Of.Count(replay.Damaged)
	}),
	table.Value(table.Right("by digest alone").IfAny(), func(r *verifiedRun) any { return r.Of.CountPruned() }),
	table.Value(table.Left("first difference"), func(r *verifiedRun) any { return runner.Reason(r.Of) }),
}

// verificationLine is one line of the output of replay --json.
type verificationLine struct {
	Type string `json:"type"`
	replay.Verification
}

// printVerification prints the verdicts on one run and their summary.
func printVerification(w table.Text, j replay.Verification) {
	w.Table(verificationTable(j))
	var counts []string
	for _, v := range []replay.Verdict{replay.Identical, replay.Different, replay.Damaged, replay.Unverified,
		replay.Skipped} {
		if n := j.Count(v); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	fmt.Fprintf(w, "\nstages: %s\n", strings.Join(counts, ", "))
	if j.CountLevel(schema.Verified)+j.CountLevel(schema.Claimed) > 0 {
		fmt.Fprintf(w, "levels: %s\n", runview.LevelCounts(j.CountLevel))
	}
	if n := j.CountPruned(); n > 0 {
		fmt.Fprintf(w, "pruned: %s not in the store; what was recomputed has the recorded digests\n",
			textfmt.CountOf(n, "record"))
	}
}

// verificationTable returns a table with one row per iteration and one column per verified stage.
func verificationTable(j replay.Verification) *table.Table {
	columns := []table.Column{table.Right("k")}
	for _, stage := range stages.All {
		columns = append(columns, table.Value(table.Left(stage).IfAny(),
			func(it *replay.IterationResult) any { return verificationVerdict(it, stage) }))
	}
	return table.Of(j.Iterations, append(columns, table.Value(table.Left("why"), func(it *replay.IterationResult) any {
		var why []string
		for _, s := range it.Stages {
			if s.Reason != "" && !slices.Contains(why, s.Reason) {
				why = append(why, s.Reason)
			}
		}
		return strings.Join(why, "; ")
	}))...)
}

// verificationVerdict returns the verdict on a stage of an iteration, nil if the stage leaves no record.
func verificationVerdict(it *replay.IterationResult, stage string) any {
	for _, s := range it.Stages {
		if s.Stage == stage {
			if s.Verdict == replay.Unverified && s.Level != "" {
				return s.Level
			}
			return s.Verdict
		}
	}
	return nil
}
