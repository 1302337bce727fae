package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

const evaluateDescription = `An agent with the primitive actions and the options that iteration K made (by
default the last; with --all those of the iterations before it too) learns to reach a
goal, for which alone it is rewarded:

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

--diffusion needs no task: it is the expected number of decisions and steps of a random
walk from one state to another, by the number of options. That is exact; the time to cover all
states is the mean of simulated walks.`

// evaluating is the command evaluate, with its flags.
type evaluating struct {
	task                     *string
	pairs, iteration         *int
	pairsSeed                uint64
	protocol, seeds, against string
	diffusion                bool
	spec                     evaluation.Spec // filled by flags but for the tasks and what lists name
}

var _ = cmdline.Register(cmdline.Command{
	Name: "evaluate", Group: cmdline.GroupCompare, Place: 3,
	Example:     "podtrack evaluate ring0 --task goal=3 --seeds 0-1 --episodes 20",
	JSON:        []any{evaluate.Document{}, evaluate.SummaryDocument{}},
	Usage:       "measure what the options of an iteration are worth: for a task, and to a random walk",
	Args:        "RUN[:K] | FILTER",
	Description: evaluateDescription,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		e := evaluating{spec: evaluation.DefaultSpec(0), seeds: "0-9"}
		e.protocol, e.against = string(e.spec.Algorithm), strings.Join(e.spec.Against, ",")
		return append([]cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag()}, e.flags()...),
			cmdline.Interruptible(cmdline.Answering(e.evaluate), "finished tasks are recorded",
				"rerun the command to continue from them; fewer --seeds or --episodes take less time")
	},
})

func (e *evaluating) flags() []cli.Flag {
	return []cli.Flag{
		cmdline.Optional(&e.task, "task", "`goal=STATE[,start=STATE]`, or all[,start=STATE] for every goal, or "+
			"reward[,start=STATE] for what the environment rewarded", ""),
		cmdline.Optional(&e.pairs, "pairs", "`N` tasks drawn from all pairs of a start and a goal, in place of --task", ""),
		cmdline.Flag(&e.pairsSeed, "pairs-seed", "draw the pairs with `SEED`"),
		cmdline.Optional(&e.iteration, "iteration", "evaluate the options of iteration `K` of each run", "the last"),
		cmdline.Flag(&e.protocol, "protocol",
			"learn by `NAME`: smdp, intra-option, or published, that of the published eigenoption code"),
		cmdline.Flag(&e.spec.Interrupt, "interrupt", "leave an option where another choice is worth more"),
		cmdline.Flag(&e.spec.Episodes, "episodes", "learn for `N` episodes with each seed"),
		cmdline.Flag(&e.spec.Limit, "steps", "truncate an episode after `N` steps; with --task reward usually where the "+
			"environment does"),
		cmdline.Flag(&e.seeds, "seeds", "a `LIST` of evaluation seeds and ranges: 0-2 for three, where 3 is one; a run's "+
			"own seed is another"),
		cmdline.Flag(&e.spec.Alpha, "alpha", "step `SIZE`"),
		cmdline.Flag(&e.spec.Epsilon, "epsilon", "`SHARE` of decisions that are drawn, which falls to 0 for the late "+
			"episodes; by the published protocol that of all scored episodes, usually 0.01"),
		cmdline.Flag(&e.spec.Gamma, "task-gamma", "`DISCOUNT` of the task; with --task reward usually 0.99"),
		cmdline.Flag(&e.against, "against", "what options are compared with: `LIST` of "+
			strings.Join(evaluation.Baselines, ", ")+", or none"),
		cmdline.Flag(&e.spec.All, "all", "evaluate the options of all iterations up to K that the spec keeps"),
		cmdline.Flag(&e.diffusion, "diffusion", "diffusion and cover time, by the number of options"),
	}
}

// ofTask lists the flags that configure how a task is learned.
var ofTask = []string{"protocol", "interrupt", "episodes", "steps", "seeds", "alpha",
	"epsilon", "task-gamma", "against"}

// asksTask reports whether tasks are asked for.
func (e *evaluating) asksTask() bool { return e.task != nil || e.pairs != nil }

// isOfReward reports whether what the environment rewarded is the task.
func (e *evaluating) isOfReward() bool { return e.task != nil && evaluate.IsRewardTask(*e.task) }

// check returns an error for flags that do not go together.
func (e *evaluating) check(c *cli.Context) error {
	of := cmdline.FirstSet(c, ofTask...)
	switch {
	case !e.diffusion && !e.asksTask():
		return schema.Hint(errors.New("evaluate takes a task"),
			"--task goal=STATE names one, on a grid --task goal=goal, and --task all every one; --diffusion needs none")
	case c.IsSet("pairs-seed") && e.pairs == nil:
		return schema.Hint(errors.New("--pairs-seed without --pairs: it says which pairs are drawn"),
			"give --pairs N too, or leave --pairs-seed out")
	case e.pairs != nil && e.task != nil:
		return schema.Hint(errors.New("--pairs beside --task: both say what the tasks are"), "give one of them")
	case of != "" && !e.asksTask():
		return schema.Hint(fmt.Errorf("--%s without --task: it says how a task is learned, and --diffusion is about none",
			of), "name a task too, as in --task goal=STATE, or leave --%s out", of)
	case e.diffusion && e.asksMany(c):
		return schema.Hint(errors.New("--diffusion beside many tasks or runs: it is about the options of one iteration"),
			"leave --diffusion out, or give it alone with RUN:K")
	}
	return nil
}

func (e *evaluating) evaluate(c *cli.Context) (a cmdline.Answer, err error) {
	if err := e.check(c); err != nil {
		return a, err
	}
	if e.asksMany(c) {
		return e.evaluateMany(c)
	}
	s, err := e.openOnlySubject(c)
	if err != nil {
		return a, err
	}
	shown := evaluationReport{subject: s}
	if shown.label, err = labelOf(c, s); err != nil {
		return a, err
	}
	if e.task != nil {
		if shown.report, err = e.evaluateTask(c, s); err != nil {
			return a, err
		}
	}
	if e.diffusion {
		bar := cmdline.StartBar(c.App.ErrWriter, "diffusion")
		shown.diffusion, err = s.Diffuse(c.Context, bar.Count)
		bar.Stop()
	}
	return shown.answer(), err
}

// openOnlySubject opens the iteration of the only run, which a filter may find if rewards are the task.
func (e *evaluating) openOnlySubject(c *cli.Context) (*evaluate.Subject, error) {
	if !e.isOfReward() || namesOne(c) {
		return e.openSubject(c)
	}
	m := manyEvaluation{evaluating: e, c: c}
	if err := m.openRuns(); err != nil {
		return nil, err
	}
	if len(m.runs) > 1 {
		return nil, schema.Hint(fmt.Errorf("--task reward takes one run, not %d: each knows only the rewards that it "+
			"recorded", len(m.runs)), "name one of them, such as %s", textfmt.ShellQuote(m.runs[0].Label()))
	}
	return m.first, nil
}

// namesOne reports whether the only argument is the name of a run.
func namesOne(c *cli.Context) bool { return c.NArg() == 1 && !report.IsTerm(c.Args().First()) }

func (e *evaluating) openSubject(c *cli.Context) (*evaluate.Subject, error) {
	ref, err := cmdline.OneRef(c, "RUN[:K]", report.RefRun, report.RefIteration)
	if err != nil {
		return nil, err
	}
	k := ref.Iteration()
	if e.iteration != nil {
		if k != nil {
			return nil, schema.Hint(fmt.Errorf("--iteration beside %s, which names one", c.Args().First()), "give one of them")
		}
		k = e.iteration
	}
	var run tracker.Run
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) (err error) {
		run, err = report.Resolve(tx, ref.Run)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e.open(c, run, k)
}

// open opens an iteration of a run, the last one if k is nil.
func (e *evaluating) open(c *cli.Context, run tracker.Run, k *int) (*evaluate.Subject, error) {
	if err := checkNumber(k); err != nil {
		return nil, err
	}
	return evaluate.Open(c.Context, cmdline.OpenStore(c), run, evaluate.Choice{Iteration: k, All: e.spec.All})
}

// checkNumber returns an error for the number of an iteration that no run has.
func checkNumber(k *int) error {
	if k != nil && *k < 0 {
		return schema.Hint(fmt.Errorf("iteration %d", *k), "count from 0")
	}
	return nil
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
func (e *evaluating) evaluateTask(c *cli.Context, s *evaluate.Subject) (*evaluate.Report, error) {
	spec, err := e.parse(c, s)
	if err != nil {
		return nil, err
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "evaluate")
	found, recorded, err := findOrComplete(c, s, spec, bar.Count)
	bar.Stop()
	if err != nil {
		return nil, err
	}
	r, err := evaluate.NewReport(c.Context, s, *found, recorded)
	return &r, err
}

// findOrComplete returns the evaluation, and whether it was recorded before; if not, it is computed and recorded.
func findOrComplete(c *cli.Context, s *evaluate.Subject, spec evaluation.Spec, show func(done, total int)) (
	found *evaluation.Record, recorded bool, err error,
) {
	if found, err = s.Find(c.Context, spec); found != nil || err != nil {
		return found, true, err
	}
	computed, err := s.Complete(c.Context, spec, show)
	return &computed, false, err
}

// parseTasks sets the tasks.
func (e *evaluating) parseTasks(s *evaluate.Subject, spec *evaluation.Spec) error {
	if e.pairs == nil {
		return cmdline.FlagError("task", *e.task, evaluate.ParseTask(s.Env, *e.task, spec))
	}
	pairs, err := evaluate.DrawPairs(s.Env, *e.pairs, e.pairsSeed)
	if err == nil {
		*spec = spec.NewTasks(pairs)
	}
	return err
}

// parse returns the evaluation's spec from the flags.
func (e *evaluating) parse(c *cli.Context, s *evaluate.Subject) (spec evaluation.Spec, err error) {
	spec = e.spec
	if err := e.parseTasks(s, &spec); err != nil {
		return spec, err
	}
	spec.Model = s.Model
	if err := e.parseRewardValues(c, s, &spec); err != nil {
		return spec, err
	}
	spec.Algorithm = evaluation.Algorithm(e.protocol)
	if spec.Algorithm == evaluation.Published && !c.IsSet("epsilon") {
		spec.Epsilon = evaluation.PublishedEpsilon
	}
	if spec.Against, err = parseBaselines(e.against); err != nil {
		return spec, err
	}
	seeds, err := runset.ParseSeeds(e.seeds)
	if err != nil {
		return spec, err
	}
	spec.Seeds = slices.Collect(seeds.All())
	if err := e.validate(spec); err != nil || e.pairs != nil {
		return spec, err
	}
	return spec, cmdline.FlagError("task", *e.task, s.CheckTask(c.Context, spec))
}

// validate returns an error if no evaluation can have the spec, about --against if that alone is why.
func (e *evaluating) validate(spec evaluation.Spec) error {
	err := spec.Validate()
	spec.Against = []string{}
	if err != nil && spec.Validate() == nil {
		return cmdline.FlagError("against", e.against, err)
	}
	return err
}

// parseRewardValues sets the usual values of a task of rewards where flags do not say others.
func (e *evaluating) parseRewardValues(c *cli.Context, s *evaluate.Subject, spec *evaluation.Spec) (err error) {
	if !spec.Reward {
		return nil
	}
	if _, err := s.RewardModel(c.Context); err != nil {
		return cmdline.FlagError("task", *e.task, err)
	}
	if !c.IsSet("task-gamma") {
		spec.Gamma = evaluation.RewardGamma
	}
	if !c.IsSet("steps") {
		spec.Limit, err = s.EpisodeLimit(c.Context, spec.Limit)
	}
	return cmdline.FlagError("task", *e.task, err)
}

// parseBaselines returns the baselines in a comma-separated list, in canonical order.
func parseBaselines(list string) ([]string, error) {
	against, left := []string{}, strings.Split(list, ",")
	if list == "none" || list == "" {
		left = nil
	}
	for _, name := range evaluation.Baselines {
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
			"give some of %s, with commas between them, or none", strings.Join(evaluation.Baselines, ","))
	}
	return against, nil
}
