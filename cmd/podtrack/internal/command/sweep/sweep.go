package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

const sweepDescription = `Makes the runs of a grid of specs, each with many seeds. Every field of the spec
takes a list of values, as --kappa 0.5,1,2 or --grid kappa=0.5,1,2; all combinations
are made. FILE says the same in TOML: keys are the flags' names, lists are lists.
Runs that are complete are not made again: rerun the command to continue. A program that
FILE names, as env or a stage, is executed only with --allow-exec; one that a flag names
always is, by --dry-run and --print too, since it says which runs there are. A stage takes
several, as in --select 'threshold,exec:CMD --share 0.5,exec:CMD --share 0.9': a comma after
a command belongs to it unless exec: follows.

On one machine the runs go into --store. Machines that share no store meet in a
folder: each task works on a shard, i/n, in a store of its own on a local disk, and
puts what it has into the folder; --gather takes that into --store.

   podtrack sweep --seeds 0-99 --reading as-written,as-published --tag study
   podtrack sweep study.toml --dry-run
   podtrack sweep study.toml --slurm --tasks 50 --sbatch '--time=4:00:00'
   podtrack sweep study.toml --status
   podtrack sweep study.toml --folder /shared/study --shard 3/8`

// Command returns the command podtrack sweep, with a command below it.
func Command(below *cli.Command) *cli.Command {
	flags := []cli.Flag{
		cmdline.StoreFlag(), cmdline.JsonFlag(),
		&cli.StringSliceFlag{Name: "grid", Usage: "let a field take several values: `FIELD=A,B,…`; may be given often"},
		&cli.StringFlag{Name: "seeds",
			Usage: "make one run of each spec for each seed in `A-B`, or in a list such as 0,3,7-9"},
		&cli.StringFlag{Name: "iterations", Usage: "continue until each run has `N`",
			DefaultText: fmt.Sprint(pod.PaperIterations)},
		runner.SpecFileFlag(),
		&cli.StringFlag{Name: "name", Usage: "name the runs; fields in braces are filled in: `k{kappa}-s{seed}`"},
		&cli.StringSliceFlag{Name: "tag",
			Usage: "tag the runs with `TAG`; may be given often. podtrack status tag=TAG shows how far they are"},
		runner.ParallelFlag(), runner.ChangedCodeFlag(),
		&cli.BoolFlag{Name: "dry-run",
			Usage: "show what would be made, what is there, and about how much time and room the rest takes"},
		&cli.StringFlag{Name: "shard", Usage: "make part `i/n` alone, i from 0",
			DefaultText: "all, or as SLURM_ARRAY_TASK_ID and its relatives say"},
		&cli.StringFlag{Name: "folder", Usage: "the `DIR` in which machines that share no store meet",
			DefaultText: "with --slurm and --status one beside the store"},
		&cli.StringFlag{Name: "scratch", Usage: "with --folder and --shard: work in `DIR`, on a local disk",
			DefaultText: "$TMPDIR"},
		&cli.DurationFlag{Name: "save-every", Value: 5 * time.Minute,
			Usage: "with --folder and --shard: put what there is into the folder every `TIME`"},
		&cli.BoolFlag{Name: "gather",
			Usage: "take what is in the folder into --store, part by part as their seals and their chains allow it"},
		&cli.BoolFlag{Name: "prove",
			Usage: "with --gather: prove each record once more; parts that others can write to are taken only so"},
		&cli.BoolFlag{Name: "status",
			Usage: "show how far the sweep is: what is in the store and in the folder, and what Slurm's queue has"},
		&cli.BoolFlag{Name: "slurm", Usage: "submit what is missing as a Slurm job array, and a job that gathers it"},
		&cli.IntFlag{Name: "tasks", Usage: "with --slurm: an array of `N` tasks", DefaultText: "one for 8 runs, at most 100"},
		&cli.StringFlag{Name: "sbatch",
			Usage: "with --slurm: more `FLAGS` for sbatch, such as '--time=4:00:00 --partition=cpu'"},
		&cli.BoolFlag{Name: "print", Usage: "with --slurm: print the scripts and the commands, and submit nothing"},
	}
	flags = append(flags, runner.TimeoutFlag(), runner.StageTimeoutFlag(), runner.AllowExecFlag())
	flags = append(flags, runner.KeepFlags()...)
	return &cli.Command{
		Name:        "sweep",
		Usage:       "make the runs of a grid of specs, here or on a cluster",
		ArgsUsage:   "[FILE.toml]",
		Description: sweepDescription,
		Flags:       append(flags, runner.SpecFlags()...),
		Action:      sweepAction,
		Subcommands: []*cli.Command{below},
	}
}

// sweepAction executes the action that the flags select.
func sweepAction(c *cli.Context) error {
	if err := checkSweepFlags(c); err != nil {
		return err
	}
	s, err := newSweepRun(c)
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; nothing was begun", replay.ErrInterrupted), "the same command begins it")
	}
	if err != nil {
		return err
	}
	switch {
	case c.Bool("dry-run"):
		return s.dryRun()
	case c.Bool("status"):
		return s.status()
	case c.Bool("gather"):
		return s.gather()
	case c.Bool("slurm"):
		return s.submit()
	case s.folder.Path != "":
		return s.attempt()
	}
	return s.local()
}

// checkSweepFlags returns an error for flags that cannot be combined.
func checkSweepFlags(c *cli.Context) error {
	modes := []string{"dry-run", "status", "gather", "slurm"}
	mode := ""
	for _, m := range modes {
		if c.Bool(m) && mode != "" {
			return schema.Hint(fmt.Errorf("--%s and --%s together", mode, m), "give one of them")
		}
		if c.Bool(m) {
			mode = m
		}
	}
	slurm, worker := mode == "slurm", mode == "" && c.IsSet("folder")
	for _, f := range []struct {
		flag, with, hint string
		fits             bool
	}{
		{"tasks", "--slurm", "it is about what is submitted to Slurm", slurm},
		{"sbatch", "--slurm", "it is about what is submitted to Slurm", slurm},
		{"print", "--slurm", "it is about what is submitted to Slurm", slurm},
		{"scratch", "--folder", "it is for tasks that work in a store of their own and meet in a folder", slurm || worker},
		{"save-every", "--folder", "it is for tasks that work in a store of their own and meet in a folder", slurm || worker},
		{"prove", "--gather", "podtrack check --read-data proves what is in a store", mode == "gather"},
	} {
		if c.IsSet(f.flag) && !f.fits {
			return schema.Hint(fmt.Errorf("--%s without %s", f.flag, f.with), "%s", f.hint)
		}
	}
	if c.IsSet("shard") && mode != "" {
		return schema.Hint(fmt.Errorf("--shard and --%s together", mode), "--%s is for the complete sweep", mode)
	}
	if c.NArg() > 1 {
		return schema.Hint(fmt.Errorf("sweep takes no second argument %q", c.Args().Get(1)),
			"the one argument is a TOML file")
	}
	if c.Duration("save-every") <= 0 {
		return schema.Hint(fmt.Errorf("--save-every %v", c.Duration("save-every")), "give a time such as 60s or 5m")
	}
	if c.IsSet("tasks") && (c.Int("tasks") < 1 || c.Int("tasks") > sweep.MaxShards) {
		return schema.Hint(fmt.Errorf("--tasks %d", c.Int("tasks")), "use 1 to %d", sweep.MaxShards)
	}
	_, err := runner.ParseParallel(c)
	return err
}
