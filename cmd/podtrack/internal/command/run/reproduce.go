package run

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/study"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce", Group: cmdline.GroupRun, Place: 6,
	Example: "podtrack reproduce table1 --runs 2",
	Usage:   "reproduce the paper's results, and a study of exploration",
	Make:    func() ([]cli.Flag, cli.ActionFunc) { return nil, refuseResult },
})

// refuseResult returns an error for a result that cannot be reproduced.
func refuseResult(c *cli.Context) error {
	if c.NArg() == 0 {
		return schema.Hint(fmt.Errorf("reproduce needs the name of a result"), reproduceHint)
	}
	name, hint := c.Args().First(), reproduceHint
	if near := textfmt.Suggest(name, []string{"table1", "figure1", "exploration"}); near != "" {
		hint = "did you mean podtrack reproduce " + near + "? The results are table1, figure1 and exploration"
	}
	return schema.Hint(fmt.Errorf("unknown result %q", name), "%s", hint)
}

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce table1", Place: 1,
	Example: "podtrack reproduce table1 --runs 2",
	Usage:   "run both readings under both observabilities and compare them with Table 1",
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var t tabling
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(), t.ParallelFlag(), runner.RunsFlag(&t.runs),
		}, cmdline.Answering(t.reproduce)
	},
})

// tabling is the command reproduce table1, with its flags.
type tabling struct {
	runner.Flags
	runs *string
}

const reproduceHint = "podtrack reproduce table1, podtrack reproduce figure1 or podtrack reproduce exploration"

func (t *tabling) reproduce(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "--runs N takes seeds 0 to N − 1; --store says where they go"); err != nil {
		return a, err
	}
	runs, err := runner.ParseRuns(t.runs)
	if err != nil {
		return a, err
	}
	specs, err := table1.AllSpecs(runs)
	if err != nil {
		return a, err
	}
	var jobs []replay.Job
	for _, s := range specs {
		jobs = append(jobs, replay.Job{Spec: s, Target: table1.Columns})
	}
	if _, err := t.RunJobs(c, jobs, nil); err != nil {
		return a, err
	}
	var measured table1.Table
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		measured, err = table1.Measure(tx, runs)
		return err
	})
	return cmdline.Answer{
		JSON:   measured,
		Text:   func(w table.Text) { printTable1(w, measured) },
		Tables: func() table.List { return table.List{newTable1Table(measured)} },
	}, err
}

// exploring is the command reproduce exploration, with its flags.
type exploring struct {
	runner.Flags
	runs                   *string
	settings               []string
	published, byIteration bool
}

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce exploration", Place: 3,
	Example: "podtrack reproduce exploration --published",
	Usage:   "run a registered study: which discovery explores?",
	Description: `Variants, environments, seeds and comparisons are those of
cmd/podtrack/internal/study/exploration.toml, which was written before any of its seeds was run.
What is recorded already is not computed again. podtrack plot exploration draws it.
Without --keep the store retains the transitions, and the options of ten seeds;
podtrack replay computes the rest again, and proves it.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var x exploring
		return append([]cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(), x.ParallelFlag(),
			cmdline.Optional(&x.runs, "runs", "only the first `N` seeds", "all of the study"),
			cmdline.Flag(&x.settings, "setting", "only the setting `NAME`, such as ring; can be repeated"),
			cmdline.Flag(&x.published, "published", "show what was measured of the whole study, and run nothing"),
			cmdline.Flag(&x.byIteration, "by-iteration", "show distance, states and coverage by iteration"),
		}, x.KeepFlags()...), cmdline.Answering(x.reproduce)
	},
})

func (e *exploring) reproduce(c *cli.Context) (a cmdline.Answer, err error) {
	err = cmdline.NoArgs(c, "--setting takes an environment of the study, --runs N its first N seeds")
	if err != nil {
		return a, err
	}
	if e.published {
		if cmdline.FirstSet(c, "runs", "setting", "keep", "store") != "" {
			return a, schema.Hint(fmt.Errorf("--published together with flags for new runs"),
				"it shows the result of the whole study and runs nothing")
		}
		r, err := study.Published()
		return e.answer(r), err
	}
	s := study.Exploration()
	settings, err := s.Choose(e.settings)
	if err != nil {
		return a, err
	}
	number := ""
	if e.runs != nil {
		number = *e.runs
	}
	seeds, err := s.ParseSeeds(number)
	if err != nil {
		return a, err
	}
	keep, err := e.ParseKeep()
	if err != nil {
		return a, err
	}
	needed := []schema.Kind{schema.KindTransitions, schema.KindOption}
	if keep != nil && !containsAll(keep.Kinds, needed) {
		return a, schema.Hint(fmt.Errorf("--keep must retain transitions and options"),
			"the study is measured from them: --keep transitions,options keeps them of all seeds")
	}
	for _, setting := range settings {
		jobs, err := s.Jobs(setting, seeds)
		if err != nil {
			return a, err
		}
		for i := range jobs {
			if keep != nil {
				jobs[i].Keep = keep
			}
		}
		fmt.Fprintf(c.App.ErrWriter, "%s: %d runs\n", setting.Name, len(jobs))
		if _, err := e.RunJobs(c, jobs, nil); err != nil {
			return a, fmt.Errorf("%s: %w", setting.Name, err)
		}
	}
	r, err := s.Measure(c.Context, cmdline.OpenStore(c), settings, seeds)
	return e.answer(r), err
}

// answer returns the study's result.
func (e *exploring) answer(r *study.Result) cmdline.Answer {
	if e.byIteration {
		return cmdline.Answer{JSON: r, Tables: func() table.List { return table.List{newStudyTable(r)} }}
	}
	return cmdline.Answer{
		JSON:   r,
		Text:   func(w table.Text) { printExploration(w, r) },
		Tables: func() table.List { return table.List{newExplorationTable(r)} },
	}
}

// containsAll reports whether kinds has all of those.
func containsAll(kinds, all []schema.Kind) bool {
	for _, k := range all {
		if !slices.Contains(kinds, k) {
			return false
		}
	}
	return true
}
