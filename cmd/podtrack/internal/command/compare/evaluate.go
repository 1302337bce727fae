package compare

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/show"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
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
purposes, over the same seeds. One goal proves little: --task all takes every goal,
--task all,start=STATE every one from the same start. With a FILTER in place of a run,
intervals are about the runs, too. -o FILE draws the learning curves.

Nothing is recorded: the same command computes the same numbers.

--diffusion needs no task: it is the expected number of decisions and steps of a random
walk from one state to another, by the number of options. That is exact; the time to cover all
states is the mean of simulated walks.`

// evaluating is the command evaluate, with its flags.
type evaluating struct {
	task                           *string
	iteration                      *int
	protocol, seeds, against, path string
	diffusion                      bool
	spec                           task.Spec // filled by flags but for the tasks and what lists name
}

var _ = cmdline.Register(cmdline.Command{
	Name: "evaluate", Group: cmdline.GroupCompare, Place: 3,
	Example:     "podtrack evaluate ring0 --task goal=3 --seeds 0-1 --episodes 20",
	Served:      []string{"task", "protocol", "seeds", "iteration", "all", "against", "diffusion", "episodes"},
	JSON:        []any{evaluate.Document{}},
	Usage:       "measure what the options of an iteration are worth: for a task, and to a random walk",
	Args:        "RUN[:K] | FILTER",
	Description: evaluateDescription,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		e := evaluating{spec: task.DefaultSpec(0), seeds: "0-9"}
		e.protocol, e.against = string(e.spec.Algorithm), strings.Join(e.spec.Against, ",")
		return append([]cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag()}, e.flags()...),
			cmdline.Interruptible(cmdline.Answering(e.evaluate), "nothing is kept",
				"rerun the command; fewer --seeds or --episodes take less time")
	},
})

func (e *evaluating) flags() []cli.Flag {
	return []cli.Flag{
		cmdline.Optional(&e.task, "task", "`goal=STATE[,start=STATE]`, or all[,start=STATE] for every goal", ""),
		cmdline.Optional(&e.iteration, "iteration", "evaluate the options of iteration `K` of each run", "the last"),
		cmdline.Flag(&e.protocol, "protocol",
			"learn by `NAME`: smdp, intra-option, or published, that of the published eigenoption code"),
		cmdline.Flag(&e.spec.Interrupt, "interrupt", "leave an option where another choice is worth more"),
		cmdline.Flag(&e.spec.Episodes, "episodes", "learn for `N` episodes with each seed"),
		cmdline.Flag(&e.spec.Limit, "steps", "truncate an episode after `N` steps"),
		cmdline.Flag(&e.seeds, "seeds", "a `LIST` of evaluation seeds and ranges: 0-2 for three, where 3 is one; a run's "+
			"own seed is another"),
		cmdline.Flag(&e.spec.Alpha, "alpha", "step `SIZE`"),
		cmdline.Flag(&e.spec.Epsilon, "epsilon", "`SHARE` of decisions that are drawn, which falls to 0 for the late "+
			"episodes; by the published protocol that of all scored episodes, usually 0.01"),
		cmdline.Flag(&e.spec.Gamma, "task-gamma", "`DISCOUNT` of the task"),
		cmdline.Flag(&e.against, "against", "what options are compared with: `LIST` of "+
			strings.Join(task.Baselines, ", ")+", or none"),
		cmdline.Flag(&e.spec.All, "all", "evaluate the options of all iterations up to K that the spec keeps"),
		cmdline.Flag(&e.diffusion, "diffusion", "diffusion and cover time, by the number of options"),
		cmdline.Flag(&e.path, "o", "draw the learning curves to `FILE`: "+strings.Join(figure.Formats, ", ")),
	}
}

// ofTask lists the flags that configure how a task is learned.
var ofTask = []string{"protocol", "interrupt", "episodes", "steps", "seeds", "alpha",
	"epsilon", "task-gamma", "against", "o"}

// check returns an error for flags that do not go together.
func (e *evaluating) check(c *cli.Context) error {
	of := cmdline.FirstSet(c, ofTask...)
	switch {
	case !e.diffusion && e.task == nil:
		return schema.Hint(errors.New("evaluate takes a task"),
			"--task goal=STATE names one, on a grid --task goal=goal, and --task all every one; --diffusion needs none")
	case of != "" && e.task == nil:
		return schema.Hint(fmt.Errorf("--%s without --task: it says how a task is learned, and --diffusion is about none",
			of), "name a task too, as in --task goal=STATE, or leave --%s out", of)
	}
	return nil
}

func (e *evaluating) evaluate(c *cli.Context) (a cmdline.Answer, err error) {
	if err := e.check(c); err != nil {
		return a, err
	}
	var picture show.Picture
	if e.path != "" {
		if picture, err = show.NewPicture(c, e.path); err != nil {
			return a, err
		}
	}
	runs, err := e.selectRuns(c)
	if err != nil {
		return a, err
	}
	first, err := e.open(c, runs[0])
	if err != nil {
		return a, err
	}
	found := evaluate.Document{Runs: []evaluate.EvaluatedRun{first.Describe(runs[0].Label())}}
	if e.task != nil {
		s, err := e.evaluateAll(c, runs, first)
		if err != nil {
			return a, err
		}
		found.Runs, found.Summary = s.Runs, &s
		if e.path != "" {
			drawn := figure.WithRuns(figure.NewLearning(s, first), runs...)
			if err := cmdline.StoppedExport(picture.Write(c, drawn)); err != nil {
				return a, err
			}
		}
	}
	if e.diffusion {
		bar := cmdline.StartBar(c.App.ErrWriter, "diffusion")
		found.Diffusion, err = first.Diffuse(c.Context, bar.Count)
		bar.Stop()
	}
	return answerOf(found, first), err
}

// selectRuns finds the runs, which have one environment. It sets the iteration if the argument names one.
func (e *evaluating) selectRuns(c *cli.Context) (runs []report.Run, err error) {
	if c.NArg() == 1 && !report.IsTerm(c.Args().First()) {
		run, err := e.selectRun(c)
		return []report.Run{run}, err
	}
	if err := cmdline.SomeArgs(c); err != nil {
		return nil, err
	}
	if runs, err = cmdline.SelectSomeRuns(c); err != nil {
		return nil, err
	}
	if e.diffusion && len(runs) > 1 {
		return nil, schema.Hint(fmt.Errorf("--diffusion of %d runs: it is about the options of one iteration", len(runs)),
			"name one of them, such as %s", textfmt.ShellQuote(runs[0].Label()))
	}
	if err := cmdline.CheckIteration(e.iteration, runs); err != nil {
		return nil, err
	}
	if first := runs[0]; first.Spec.Env.External != nil && len(runs) > 1 {
		return nil, schema.Hint(fmt.Errorf("evaluate takes one run of an external environment, not %d of %q: each "+
			"knows only the states that it observed, so they have no tasks in common", len(runs), first.Env),
			"name one of them, such as %s; podtrack ls lists them", textfmt.ShellQuote(first.Label()))
	}
	for _, r := range runs[1:] {
		if !reflect.DeepEqual(r.Source.Spec.Env, runs[0].Source.Spec.Env) {
			return nil, schema.Hint(fmt.Errorf("%w: runs %s and %s are in different environments, which have no tasks in "+
				"common", schema.ErrSpec, runs[0].Label(), r.Label()),
				"add terms to the filter, such as env=grid or map=four-rooms")
		}
	}
	return runs, nil
}

// selectRun finds the run that the only argument names.
func (e *evaluating) selectRun(c *cli.Context) (run report.Run, err error) {
	ref, err := cmdline.OneRef(c, "RUN[:K]", report.RefRun, report.RefIteration)
	if err != nil {
		return run, err
	}
	if k := ref.Iteration(); k != nil {
		if e.iteration != nil {
			return run, schema.Hint(fmt.Errorf("--iteration beside %s, which names one", c.Args().First()), "give one of them")
		}
		e.iteration = k
	}
	if e.iteration != nil && *e.iteration < 0 {
		return run, schema.Hint(fmt.Errorf("iteration %d", *e.iteration), "count from 0")
	}
	return tracker.Read(cmdline.OpenStore(c).Within(c.Context), func(tx *tracker.Tx) (report.Run, error) {
		return report.LoadRun(tx, ref.Run)
	})
}

func (e *evaluating) open(c *cli.Context, run report.Run) (*evaluate.Subject, error) {
	return evaluate.Open(c.Context, cmdline.OpenStore(c), run.Source,
		evaluate.Choice{Iteration: e.iteration, All: e.spec.All})
}

// evaluateAll evaluates run after run, each on all processors.
func (e *evaluating) evaluateAll(c *cli.Context, runs []report.Run, first *evaluate.Subject) (evaluate.Summary, error) {
	var sum evaluate.Aggregator
	spec, err := e.parse(c, first)
	if err != nil {
		return evaluate.Summary{}, err
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "evaluate")
	defer bar.Stop()
	for i, r := range runs {
		s := first
		if i > 0 {
			if s, err = e.open(c, r); err != nil {
				return evaluate.Summary{}, err
			}
		}
		found, err := s.Evaluate(c.Context, spec, func(done, total int) {
			bar.Show(int64(i*total+done), int64(len(runs)*total), r.Label())
		})
		if err == nil {
			err = sum.Add(s, found, r.Label())
		}
		if err != nil {
			return evaluate.Summary{}, fmt.Errorf("run %s: %w", r.Label(), err)
		}
	}
	return sum.Summary(), nil
}

// parse returns the evaluation's spec from the flags.
func (e *evaluating) parse(c *cli.Context, s *evaluate.Subject) (spec task.Spec, err error) {
	spec = e.spec
	if err := evaluate.ParseTask(s.Env, *e.task, &spec); err != nil {
		return spec, cmdline.FlagError("task", *e.task, err)
	}
	spec.Algorithm = task.Algorithm(e.protocol)
	if spec.Algorithm == task.Published && !c.IsSet("epsilon") {
		spec.Epsilon = task.PublishedEpsilon
	}
	if spec.Against, err = parseBaselines(e.against); err != nil {
		return spec, err
	}
	seeds, err := runset.ParseSeeds(e.seeds)
	if err != nil {
		return spec, err
	}
	spec.Seeds = slices.Collect(seeds.All())
	if err := spec.Validate(); err != nil {
		return spec, err
	}
	return spec, cmdline.FlagError("task", *e.task, s.CheckTask(spec))
}

// parseBaselines returns the baselines in a comma-separated list, in canonical order.
func parseBaselines(list string) ([]string, error) {
	against, left := []string{}, strings.Split(list, ",")
	if list == "none" || list == "" {
		left = nil
	}
	for _, name := range task.Baselines {
		if i := slices.Index(left, name); i >= 0 {
			against, left = append(against, name), slices.Delete(left, i, i+1)
		}
	}
	if len(left) > 0 {
		return nil, schema.Hint(fmt.Errorf("--against %q: unknown, or twice: %q", list, left[0]),
			"give some of %s, with commas between them, or none", strings.Join(task.Baselines, ","))
	}
	return against, nil
}
