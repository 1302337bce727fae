package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"

	"github.com/urfave/cli/v2"
)

// programCheck is the command run check, with its flags.
type programCheck struct{ runner.Flags }

var _ = cmdline.Register(cmdline.Command{
	Name:    "run check",
	Example: "podtrack run check --select 'exec:python3 stages.py' --bits 6",
	JSON:    []any{checkedRun{}},
	Usage:   "try out programs: an environment, stages, or both",
	Description: `Makes the first two iterations of a run with these flags in a store that is discarded, and
then replays them in new processes, the second one first: the programs have to do
everything that a run relies on, and to answer with the same bits. Exits 1 if they differ.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var p programCheck
		return append([]cli.Flag{cmdline.JsonFlag(), table.FormatFlag(), p.TimeoutFlag(), p.SpecFileFlag()},
				p.SpecFlags()...), cmdline.Interruptible(cmdline.Answering(p.check), "a check changes nothing",
				"rerun the command to start again")
	},
})

// checkIterations is the number of iterations of a check: the first without options, the second with those of the
// first.
const checkIterations = 2

// checkedRun is the output of run check.
type checkedRun struct {
	Env        schema.Env               `json:"env"`              // as declared
	Stages     *schema.Stages           `json:"stages,omitempty"` // as declared
	Iterations []replay.IterationResult `json:"iterations"`
}

// checkedStage is a stage of iteration K.
type checkedStage struct {
	K int
	replay.StageResult
}

func (p *programCheck) check(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "say which program it is: --env exec:CMD, or --select exec:CMD"); err != nil {
		return a, err
	}
	spec, launcher, err := p.ParseSpec(c)
	if err != nil {
		return a, err
	}
	if spec.Env.External == nil && spec.Stages == nil {
		return a, schema.Hint(errors.New("no program to check"), "name one: --env exec:CMD, or a stage's, such as "+
			"--select exec:CMD")
	}
	programs, err := p.ParseStages()
	if err != nil {
		return a, err
	}
	found, err := checkPrograms(c.Context, spec, replay.Options{Launcher: launcher, Stages: programs})
	if err != nil {
		return a, err
	}
	var rows []checkedStage
	for _, it := range found.Iterations {
		for _, s := range it.Stages {
			rows = append(rows, checkedStage{it.K, s})
		}
	}
	g := table.Of(rows, table.Right("K").As("k"), table.Left("stage"), table.Left("verdict"),
		table.Left("reason").As("why"))
	return cmdline.Answer{
		JSON:    checkedRun{Env: spec.Env, Stages: spec.Stages, Iterations: found.Iterations},
		Tables:  func() table.List { return table.List{g} },
		Verdict: runner.Verdict([]replay.Verification{found}, true, false),
	}, nil
}

// checkPrograms makes the first iterations of a run in a store of its own, and replays each in new processes.
func checkPrograms(ctx context.Context, spec schema.Spec, with replay.Options) (found replay.Verification, err error) {
	folder, err := os.MkdirTemp("", "podtrack-check-")
	if err != nil {
		return found, err
	}
	defer os.RemoveAll(folder)
	store, err := replay.Create(ctx, filepath.Join(folder, "podtrack.db"))
	if err != nil {
		return found, err
	}
	run, err := store.Run(ctx, replay.Job{Spec: spec, Target: checkIterations}, with)
	if err != nil {
		return found, err
	}
	for k := checkIterations - 1; k >= 0; k-- {
		one, err := replay.Verify(ctx, store.Tracker(), run.Run, replay.Scope{Iteration: &k}, with)
		if err != nil {
			return found, err
		}
		one.Iterations = append(one.Iterations, found.Iterations...)
		found = one
	}
	return found, nil
}
