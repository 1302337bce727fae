package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

const evaluateDescription = `An agent with the primitive actions and the options that iteration K made (the
last one, where none is named; with --all the iterations before it too) learns to
get to a goal, which alone is rewarded:

  podtrack evaluate RUN:K --task goal=STATE[,start=STATE]

A STATE is an index, or on a grid a place such as r1c11, or goal or start for the
map's G and S. Without a start each episode draws one. The agent is held against one
with the primitive actions alone and one with as many options of random purposes,
over the same seeds. The result is recorded with the iteration: the same command
shows it again without computing it, and podtrack replay proves it.

--diffusion is about no task: how many decisions and steps a random walk takes from
one state to another, by the number of options. That is exact; the time to cover all
states is the mean of simulated walks.`

func evaluateCommand() *cli.Command {
	return &cli.Command{
		Name:        "evaluate",
		Usage:       "say what the options of an iteration are worth: for a task, and to a random walk",
		ArgsUsage:   "RUN[:K]",
		Description: evaluateDescription,
		Flags:       append([]cli.Flag{storeFlag(), jsonFlag(), formatFlag()}, evaluationFlags()...),
		Action:      evaluateAction,
	}
}

func evaluationFlags() []cli.Flag {
	d := schema.DefaultEvaluation(0)
	return []cli.Flag{
		&cli.StringFlag{Name: "task", Usage: "`goal=STATE[,start=STATE]`"},
		&cli.StringFlag{Name: "algorithm", Value: string(d.Algorithm), Usage: "learn values by `NAME`: smdp or intra-option"},
		&cli.BoolFlag{Name: "interrupt", Usage: "leave an option where another choice is worth more"},
		&cli.IntFlag{Name: "episodes", Value: d.Episodes, Usage: "`N` episodes a seed"},
		&cli.Int64Flag{Name: "steps", Value: d.Limit, Usage: "cut an episode after `N` steps"},
		&cli.StringFlag{Name: "seeds", Value: "0-9", Usage: "evaluation seeds, such as `0-9`; a run's own seed is another"},
		&cli.Float64Flag{Name: "alpha", Value: d.Alpha, Usage: "step `SIZE`"},
		&cli.Float64Flag{Name: "epsilon", Value: d.Epsilon, Usage: "`SHARE` of decisions that are drawn"},
		&cli.Float64Flag{Name: "task-gamma", Value: d.Gamma, Usage: "`DISCOUNT` of the task"},
		&cli.StringFlag{Name: "against", Value: strings.Join(d.Against, ","), Usage: "what options are held against: `LIST` of " + strings.Join(schema.Baselines, ", ") + ", or none"},
		&cli.BoolFlag{Name: "leave-one-out", Usage: "rank the options by what it costs to be without them"},
		&cli.BoolFlag{Name: "all", Usage: "evaluate the options of all iterations up to K"},
		&cli.BoolFlag{Name: "diffusion", Usage: "diffusion and cover time, by the number of options"},
	}
}

func evaluateAction(c *cli.Context) error {
	format, err := formatOf(c)
	if err != nil {
		return err
	}
	if !c.Bool("diffusion") && !c.IsSet("task") {
		return schema.Hint(errors.New("evaluate takes a task"), "--task goal=STATE names one, on a grid --task goal=goal; --diffusion needs none")
	}
	if err := onlyOfTask(c); err != nil {
		return err
	}
	s, err := openSubject(c)
	if err != nil {
		return err
	}
	var shown evaluated
	if shown.label, err = labelOf(c, s); err != nil {
		return err
	}
	if c.IsSet("task") {
		if shown.report, err = evaluateTask(c, s); err != nil {
			return stoppedEvaluation(err)
		}
	}
	if c.Bool("diffusion") {
		if shown.diffusion, err = diffuse(c, s); err != nil {
			return stoppedEvaluation(err)
		}
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, shown.document(s))
	}
	return shown.print(c.App.Writer, s, format)
}

// ofTask are the flags that say how a task is learned.
var ofTask = []string{"algorithm", "interrupt", "episodes", "steps", "seeds", "alpha", "epsilon", "task-gamma", "against", "leave-one-out"}

// onlyOfTask refuses those flags where no task is learned.
func onlyOfTask(c *cli.Context) error {
	for _, name := range ofTask {
		if c.IsSet(name) && !c.IsSet("task") {
			return schema.Hint(fmt.Errorf("--%s without --task: it says how a task is learned, and --diffusion is about none", name),
				"name a task too, as in --task goal=STATE, or leave --%s out", name)
		}
	}
	return nil
}

// stoppedEvaluation says of an interruption that nothing was recorded.
func stoppedEvaluation(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; nothing of the evaluation is recorded", replay.ErrInterrupted), "the same command begins it again; fewer --seeds or --episodes take less time")
	}
	return err
}

func openSubject(c *cli.Context) (*evaluate.Subject, error) {
	ref, err := oneArg(c, "RUN[:K]")
	if err != nil {
		return nil, err
	}
	name, k, err := splitIteration(ref)
	if err != nil {
		return nil, err
	}
	var run tracker.Run
	store := openStore(c)
	err = store.View(c.Context, func(tx *tracker.Tx) (err error) {
		run, err = tx.Resolve(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return evaluate.Open(c.Context, store, run, k, c.Bool("all"))
}

func labelOf(c *cli.Context, s *evaluate.Subject) (label string, err error) {
	err = openStore(c).View(c.Context, func(tx *tracker.Tx) error {
		r, err := report.Summarise(tx, s.Run)
		label = r.Label()
		return err
	})
	return label, err
}

// evaluateTask finds the evaluation, or makes and records it.
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
	r, err := evaluate.NewReport(s, *found, recorded)
	return &r, err
}

func computeEvaluation(c *cli.Context, s *evaluate.Subject, spec schema.EvaluationSpec) (*schema.Evaluation, error) {
	bar := startGauge(c.App.ErrWriter, "evaluate")
	e, err := s.Evaluate(c.Context, spec, bar.count)
	bar.stop()
	if err == nil {
		err = s.Record(c.Context, e)
	}
	return &e, err
}

func diffuse(c *cli.Context, s *evaluate.Subject) ([]evaluate.Diffusion, error) {
	bar := startGauge(c.App.ErrWriter, "diffusion")
	defer bar.stop()
	return s.Diffuse(c.Context, bar.count)
}

// parseEvaluation is what the flags say.
func parseEvaluation(c *cli.Context, s *evaluate.Subject) (spec schema.EvaluationSpec, err error) {
	spec = schema.DefaultEvaluation(0)
	if err := evaluate.SetTask(s.Env, c.String("task"), &spec); err != nil {
		return spec, err
	}
	spec.Algorithm, spec.Interrupt = schema.Algorithm(c.String("algorithm")), c.Bool("interrupt")
	spec.Episodes, spec.Limit = c.Int("episodes"), c.Int64("steps")
	spec.Alpha, spec.Epsilon, spec.Gamma = c.Float64("alpha"), c.Float64("epsilon"), c.Float64("task-gamma")
	spec.LeaveOut, spec.All = c.Bool("leave-one-out"), c.Bool("all")
	if spec.Against, err = parseBaselines(c.String("against")); err != nil {
		return spec, err
	}
	if spec.Seeds, err = parseSeeds(c.String("seeds")); err != nil {
		return spec, err
	}
	return spec, spec.Validate()
}

// parseBaselines puts baselines into their order.
func parseBaselines(list string) ([]string, error) {
	against, left := []string{}, strings.Split(list, ",")
	if list == "none" || list == "" {
		left = nil
	}
	for _, name := range schema.Baselines {
		for i, given := range left {
			if given == name {
				against = append(against, name)
				left = append(left[:i:i], left[i+1:]...)
				break
			}
		}
	}
	if len(left) > 0 {
		return nil, schema.Hint(fmt.Errorf("--against %q: unknown, or twice: %q", list, left[0]), "give some of %s, with commas between them, or none", strings.Join(schema.Baselines, ","))
	}
	return against, nil
}
