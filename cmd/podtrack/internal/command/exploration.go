package command

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/study"
	"github.com/podtrack/podtrack/schema"
)

func explorationCommand() *cli.Command {
	return &cli.Command{
		Name:  "exploration",
		Usage: "run a registered study: which discovery explores?",
		Description: `Variants, environments, seeds and comparisons are those of
replay/study/exploration.toml, which was written before any of its seeds was run.
What is recorded already is not computed again. podtrack plot exploration draws it.
Without --keep the store retains the transitions, and the options of ten seeds;
podtrack replay computes the rest again, and proves it.`,
		Flags: append([]cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(), runner.ParallelFlag(), studyRunsFlag(),
			&cli.StringSliceFlag{Name: "setting", Usage: "only the setting `NAME`, such as ring; can be repeated"},
			publishedFlag(),
			&cli.BoolFlag{Name: "by-iteration", Usage: "show distance, states and coverage by iteration"},
		}, runner.KeepFlags()...),
		Action: reproduceExploration,
	}
}

func studyRunsFlag() cli.Flag {
	return &cli.StringFlag{Name: "runs", Usage: "only the first `N` seeds", DefaultText: "all of the study"}
}

func reproduceExploration(c *cli.Context) error {
	if c.NArg() > 0 {
		return schema.Hint(fmt.Errorf("reproduce exploration takes no argument %q", c.Args().First()),
			"--setting takes an environment of the study, --runs N its first N seeds")
	}
	format, err := table.ParseFormat(c)
	if err != nil {
		return err
	}
	if c.Bool("published") {
		if c.IsSet("runs") || c.IsSet("setting") || c.IsSet("keep") || c.IsSet("store") {
			return schema.Hint(fmt.Errorf("--published with flags of what is to be run"),
				"it is of the whole study: nothing is run")
		}
		r, err := study.Published()
		if err != nil {
			return err
		}
		return writeStudy(c, r, format)
	}
	s := study.Exploration()
	settings, err := s.Choose(c.StringSlice("setting"))
	if err != nil {
		return err
	}
	seeds, err := s.ParseSeeds(c.String("runs"))
	if err != nil {
		return err
	}
	keep, err := runner.ParseKeep(c)
	if err != nil {
		return err
	}
	needed := []schema.Kind{schema.KindTransitions, schema.KindOption}
	if keep != nil && !containsAll(keep.Kinds, needed) {
		return schema.Hint(fmt.Errorf("--keep without transitions and options"),
			"the study is measured from them: --keep transitions,options keeps them of all seeds")
	}
	for _, setting := range settings {
		jobs, err := s.Jobs(setting, seeds)
		if err != nil {
			return err
		}
		for i := range jobs {
			if keep != nil {
				jobs[i].Keep = keep
			}
		}
		fmt.Fprintf(c.App.ErrWriter, "%s: %d runs\n", setting.Name, len(jobs))
		if _, err := runner.RunJobs(c, jobs, nil); err != nil {
			return fmt.Errorf("%s: %w", setting.Name, err)
		}
	}
	r, err := s.Measure(c.Context, cmdline.OpenStore(c), settings, seeds)
	if err != nil {
		return err
	}
	return writeStudy(c, r, format)
}

func publishedFlag() cli.Flag {
	return &cli.BoolFlag{Name: "published", Usage: "show what was measured of the whole study, and run nothing"}
}

// writeStudy prints a study's result in the form that the flags ask for.
func writeStudy(c *cli.Context, r *study.Result, format string) error {
	switch {
	case c.Bool("json"):
		return cmdline.PrintJSON(c.App.Writer, r)
	case c.Bool("by-iteration"):
		return newStudyTable(r).Print(c.App.Writer, format)
	}
	if format != table.Formats[0] {
		return newExplorationTable(r).Print(c.App.Writer, format)
	}
	printExploration(table.Text{Writer: c.App.Writer}, r)
	return nil
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
