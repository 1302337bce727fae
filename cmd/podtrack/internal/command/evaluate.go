package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

const evaluateDescription = `An agent with the primitive actions and the options that iteration K made (the
last one, where none is named; with --all the iterations before it too) learns to
get to a goal, which alone is rewarded:

  podtrack evaluate RUN:K --task goal=STATE[,start=STATE]

A STATE is an index, or on a grid a place such as r1c11, or goal or start for the
map's G and S. Without a start each episode draws one. The agent is compared with
one that has the primitive actions alone and one that has as many options of random
purposes, over the same seeds. The result is recorded with the iteration: the same command
shows it again without computing it, and podtrack replay proves it.

One goal proves little: --task all takes every goal, --task all,start=STATE every one
from the same start, and --pairs N draws pairs of start and goal. With a FILTER in
place of a run, intervals are about the runs, too.

--task reward takes what an environment of another program rewarded in place of a
goal: the agent learns from the rewards that the run recorded, and returns are
compared.

--diffusion is about no task: how many decisions and steps a random walk takes from
one state to another, by the number of options. That is exact; the time to cover all
states is the mean of simulated walks.`

func evaluateCommand() *cli.Command {
	return &cli.Command{
		Name:        "evaluate",
		Usage:       "measure what the options of an iteration are worth: for a task, and to a random walk",
		ArgsUsage:   "RUN[:K] | FILTER",
		Description: evaluateDescription,
		Flags: append([]cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag()},
			evaluationFlags()...),
		Action: evaluateAction,
	}
}

func evaluateAction(c *cli.Context) error {
	format, err := table.ParseFormat(c)
	if err != nil {
		return err
	}
	if !c.Bool("diffusion") && !asksTask(c) {
		return schema.Hint(errors.New("evaluate takes a task"),
			"--task goal=STATE names one, on a grid --task goal=goal, and --task all every one; --diffusion needs none")
	}
	if err := onlyOfTask(c); err != nil {
		return err
	}
	if asksMany(c) {
		return evaluateMany(c, format)
	}
	s, err := openOnlySubject(c)
	if err != nil {
		return err
	}
	var shown evaluationReport
	if shown.label, err = labelOf(c, s); err != nil {
		return err
	}
	if c.IsSet("task") {
		if shown.report, err = evaluateTask(c, s); err != nil {
			return evaluationError(err)
		}
	}
	if c.Bool("diffusion") {
		if shown.diffusion, err = diffuse(c, s); err != nil {
			return evaluationError(err)
		}
	}
	if c.Bool("json") {
		return cmdline.PrintJSON(c.App.Writer, shown.document(s))
	}
	return shown.print(c.App.Writer, s, format)
}

// evaluationError returns err; for an interruption, an error that says that nothing was recorded.
func evaluationError(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; nothing of the evaluation is recorded", replay.ErrInterrupted),
			"the same command begins it again; fewer --seeds or --episodes take less time")
	}
	return err
}

// openOnlySubject opens the iteration of the only run, which a filter may find if rewards are the task.
func openOnlySubject(c *cli.Context) (*evaluate.Subject, error) {
	if !evaluate.IsRewardTask(c.String("task")) || c.NArg() == 1 && !report.IsTerm(c.Args().First()) {
		return openSubject(c)
	}
	if err := cmdline.SomeArgs(c); err != nil {
		return nil, err
	}
	m := manyEvaluation{c: c}
	if err := m.openRuns(); err != nil {
		return nil, err
	}
	if len(m.runs) > 1 {
		return nil, schema.Hint(fmt.Errorf("--task reward takes one run, and here are %d: each knows the rewards that it "+
			"recorded itself", len(m.runs)), "name one of them, such as %s", textform.ShellQuote(m.runs[0].Label()))
	}
	return m.first, nil
}

func openSubject(c *cli.Context) (*evaluate.Subject, error) {
	ref, err := cmdline.OneRef(c, "RUN[:K]", report.RefRun, report.RefIteration)
	if err != nil {
		return nil, err
	}
	k := ref.Iteration()
	if c.IsSet("iteration") {
		if k != nil {
			return nil, schema.Hint(fmt.Errorf("--iteration beside %s, which names one", c.Args().First()), "give one of them")
		}
		if k, err = parseIteration(c); err != nil {
			return nil, err
		}
	}
	var run tracker.Run
	store := cmdline.OpenStore(c)
	err = store.View(c.Context, func(tx *tracker.Tx) (err error) {
		run, err = report.Resolve(tx, ref.Run)
		return err
	})
	if err != nil {
		return nil, err
	}
	return evaluate.Open(c.Context, store, run, evaluate.Choice{Iteration: k, All: c.Bool("all")})
}

// parseIteration returns the iteration that --iteration names, nil if it is not given.
func parseIteration(c *cli.Context) (*int, error) {
	if !c.IsSet("iteration") {
		return nil, nil
	}
	k := c.Int("iteration")
	if k < 0 {
		return nil, schema.Hint(fmt.Errorf("iteration %d", k), "count from 0")
	}
	return &k, nil
}

func labelOf(c *cli.Context, s *evaluate.Subject) (label string, err error) {
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		r, err := report.Summarise(tx, s.Run)
		label = r.Label()
		return err
	})
	return label, err
}

// evaluateTask returns the recorded evaluation if there is one. Otherwise, it computes and records
// it.
func evaluateTask(c *cli.Context, s *evaluate.Subject) (*evaluate.Report, error) {
	spec, err := parseEvaluation(c, s)
	if err != nil {
		return nil, err
	}
	found, err := s.Find(c.Context, spec)
	if err != nil {
		return nil, err
	}
	recorded := found != nil
	if !recorded {
		if found, err = computeEvaluation(c, s, spec); err != nil {
			return nil, err
		}
	}
	r, err := evaluate.NewReport(c.Context, s, *found, recorded)
	return &r, err
}

func computeEvaluation(c *cli.Context, s *evaluate.Subject, spec schema.EvaluationSpec) (*schema.Evaluation, error) {
	bar := cmdline.StartBar(c.App.ErrWriter, "evaluate")
	e, err := s.Complete(c.Context, spec, bar.Count)
	bar.Stop()
	return &e, err
}

func diffuse(c *cli.Context, s *evaluate.Subject) ([]evaluate.Diffusion, error) {
	bar := cmdline.StartBar(c.App.ErrWriter, "diffusion")
	defer bar.Stop()
	return s.Diffuse(c.Context, bar.Count)
}
