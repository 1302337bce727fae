package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/schema"
)

func evaluationFlags() []cli.Flag {
	d := schema.DefaultEvaluation(0)
	return []cli.Flag{
		&cli.StringFlag{Name: "task", Usage: "`goal=STATE[,start=STATE]`, or all[,start=STATE] for every goal, or " +
			"reward[,start=STATE] for what the environment rewarded"},
		&cli.IntFlag{Name: "pairs", Usage: "`N` tasks drawn from all pairs of a start and a goal, in place of --task"},
		&cli.Uint64Flag{Name: "pairs-seed", Usage: "draw the pairs with `SEED`"},
		&cli.IntFlag{Name: "iteration", Usage: "evaluate the options of iteration `K` of each run", DefaultText: "the last"},
		&cli.StringFlag{Name: "protocol", Value: string(d.Algorithm),
			Usage: "learn by `NAME`: smdp, intra-option, or published, that of the published eigenoption code"},
		&cli.BoolFlag{Name: "interrupt", Usage: "leave an option where another choice is worth more"},
		&cli.IntFlag{Name: "episodes", Value: d.Episodes, Usage: "`N` episodes a seed"},
		&cli.Int64Flag{Name: "steps", Value: d.Limit, Usage: "truncate an episode after `N` steps; with --task reward " +
			"usually where the environment does"},
		&cli.StringFlag{Name: "seeds", Value: "0-9",
			Usage: "a `LIST` of evaluation seeds and ranges: 0-2 for three, where 3 is one; a run's own seed is another"},
		&cli.Float64Flag{Name: "alpha", Value: d.Alpha, Usage: "step `SIZE`"},
		&cli.Float64Flag{Name: "epsilon", Value: d.Epsilon,
			Usage: "`SHARE` of decisions that are drawn, which falls to 0 for the late episodes; by the published protocol " +
				"that of all scored episodes, usually 0.01"},
		&cli.Float64Flag{Name: "task-gamma", Value: d.Gamma,
			Usage: "`DISCOUNT` of the task; with --task reward usually 0.99"},
		&cli.StringFlag{Name: "against", Value: strings.Join(d.Against, ","),
			Usage: "what options are compared with: `LIST` of " + strings.Join(schema.Baselines, ", ") + ", or none"},
		&cli.BoolFlag{Name: "all", Usage: "evaluate the options of all iterations up to K that the spec keeps"},
		&cli.BoolFlag{Name: "diffusion", Usage: "diffusion and cover time, by the number of options"},
	}
}

// ofTask lists the flags that configure how a task is learned.
var ofTask = []string{"protocol", "interrupt", "episodes", "steps", "seeds", "alpha",
	"epsilon", "task-gamma", "against"}

// onlyOfTask returns an error if one of the flags ofTask is given without a task.
func onlyOfTask(c *cli.Context) error {
	if c.IsSet("pairs-seed") && !c.IsSet("pairs") {
		return schema.Hint(errors.New("--pairs-seed without --pairs: it says which pairs are drawn"),
			"give --pairs N too, or leave --pairs-seed out")
	}
	if c.IsSet("pairs") && c.IsSet("task") {
		return schema.Hint(errors.New("--pairs beside --task: both say what the tasks are"), "give one of them")
	}
	for _, name := range ofTask {
		if c.IsSet(name) && !asksTask(c) {
			return schema.Hint(fmt.Errorf("--%s without --task: it says how a task is learned, and --diffusion is about none",
				name),
				"name a task too, as in --task goal=STATE, or leave --%s out", name)
		}
	}
	return nil
}

// asksTask reports whether tasks are asked for.
func asksTask(c *cli.Context) bool { return c.IsSet("task") || c.IsSet("pairs") }

// parseTasks sets the tasks.
func parseTasks(c *cli.Context, s *evaluate.Subject, spec *schema.EvaluationSpec) error {
	if !c.IsSet("pairs") {
		return cmdline.FlagError("task", c.String("task"), evaluate.ParseTask(s.Env, c.String("task"), spec))
	}
	pairs, err := evaluate.DrawPairs(s.Env, c.Int("pairs"), c.Uint64("pairs-seed"))
	if err == nil {
		*spec = spec.NewTasks(pairs)
	}
	return err
}

// parseEvaluation returns the evaluation's spec from the flags.
func parseEvaluation(c *cli.Context, s *evaluate.Subject) (spec schema.EvaluationSpec, err error) {
	spec = schema.DefaultEvaluation(0)
	if err := parseTasks(c, s, &spec); err != nil {
		return spec, err
	}
	spec.Model, spec.Interrupt = s.Model, c.Bool("interrupt")
	spec.Episodes, spec.Limit = c.Int("episodes"), c.Int64("steps")
	spec.Alpha, spec.Epsilon, spec.Gamma = c.Float64("alpha"), c.Float64("epsilon"), c.Float64("task-gamma")
	if err := parseRewardValues(c, s, &spec); err != nil {
		return spec, err
	}
	parseProtocol(c, &spec)
	spec.All = c.Bool("all")
	if spec.Against, err = parseBaselines(c.String("against")); err != nil {
		return spec, err
	}
	seeds, err := schema.ParseSeeds(c.String("seeds"))
	if err != nil {
		return spec, err
	}
	spec.Seeds = slices.Collect(seeds.All())
	if err := validateEvaluation(c, spec); err != nil || c.IsSet("pairs") {
		return spec, err
	}
	return spec, cmdline.FlagError("task", c.String("task"), s.CheckTask(c.Context, spec))
}

// validateEvaluation returns an error if no evaluation can have the spec, about --against if that alone is why.
func validateEvaluation(c *cli.Context, spec schema.EvaluationSpec) error {
	err := spec.Validate()
	alone := spec
	alone.Against = []string{}
	if err != nil && alone.Validate() == nil {
		return cmdline.FlagError("against", c.String("against"), err)
	}
	return err
}

// parseRewardValues sets the usual values of a task of rewards where flags do not say others.
func parseRewardValues(c *cli.Context, s *evaluate.Subject, spec *schema.EvaluationSpec) (err error) {
	if !spec.Reward {
		return nil
	}
	if _, err := s.RewardModel(c.Context); err != nil {
		return cmdline.FlagError("task", c.String("task"), err)
	}
	if !c.IsSet("task-gamma") {
		spec.Gamma = schema.RewardGamma
	}
	if !c.IsSet("steps") {
		spec.Limit, err = s.EpisodeLimit(c.Context, spec.Limit)
	}
	return cmdline.FlagError("task", c.String("task"), err)
}

// parseProtocol sets the algorithm, and what its usual values are.
func parseProtocol(c *cli.Context, spec *schema.EvaluationSpec) {
	spec.Algorithm = schema.Algorithm(c.String("protocol"))
	if spec.Algorithm == schema.Published && !c.IsSet("epsilon") {
		spec.Epsilon = schema.PublishedEpsilon
	}
}

// parseBaselines returns the baselines in a comma-separated list, in canonical order.
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
		return nil, schema.Hint(fmt.Errorf("--against %q: unknown, or twice: %q", list, left[0]),
			"give some of %s, with commas between them, or none", strings.Join(schema.Baselines, ","))
	}
	return against, nil
}
