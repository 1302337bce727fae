// Package sweep implements the command podtrack sweep: grids of runs on this machine, in shards or
// on Slurm.
package sweep

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

const sweepDescription = `Makes the runs of a grid of specs, each with many seeds. Every field of the spec
takes a list of values, as --kappa 0.5,1,2 or --set lifetime=keep,replace; all combinations
are made. FILE says the same in TOML: keys are the flags' names, lists are lists.
Runs that are complete are not made again: rerun the command to continue. A program that
FILE names, as env or a stage, is executed only with --allow-exec; one that a flag names
always is, by --dry-run and --slurm too, since it says which runs there are. A stage takes
several, as in --select 'threshold,exec:CMD --share 0.5,exec:CMD --share 0.9': a comma after
a command belongs to it unless exec: follows.

--shard makes a part of the runs alone, in a store of its own; podtrack merge joins such
stores. --slurm writes a script that does both on a cluster, for you to read and submit.

   podtrack sweep --seeds 0-99 --reading as-written,as-published --tag study
   podtrack sweep study.toml --dry-run
   podtrack sweep study.toml --shard 3/8 --store part3.db
   podtrack sweep study.toml --slurm study.sh --tasks 50`

var _ = cmdline.Register(cmdline.Command{
	Name: "sweep", Group: cmdline.GroupRun, Place: 3,
	Example:     "podtrack sweep --bits 5,6 --seeds 0-1 --iterations 2 --tag study",
	JSON:        []any{summary{}, ""},
	Usage:       "make the runs of a grid of specs, here or on a cluster",
	Args:        "[FILE.toml]",
	Description: sweepDescription,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var f flags
		all := []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			cmdline.Optional(&f.Seeds, "seeds",
				"make one run of each spec for each seed in `A-B`, or in a list such as 0,3,7-9", ""),
			cmdline.Optional(&f.Iterations, "iterations", "make iterations until each run has `N`",
				fmt.Sprint(pod.PaperIterations)),
			f.SpecFileFlag(),
			cmdline.Optional(&f.name, "name", "name the runs; fields in braces are filled in: `k{kappa}-s{seed}`", ""),
			cmdline.Flag(&f.tags, "tag",
				"tag the runs with `TAG`; may be given several times. podtrack status tag=TAG shows how far they are"),
			f.ParallelFlag(), f.ChangedCodeFlag(),
			cmdline.Flag(&f.dryRun, "dry-run", "show what would be made, and what is there"),
			cmdline.Optional(&f.shard, "shard", "make part `i/n` alone, i from 0", ""),
			cmdline.Optional(&f.slurm, "slurm",
				"write a script for Slurm to `FILE`: a job array of shards, and the merge of their stores; run nothing", ""),
			cmdline.Optional(&f.tasks, "tasks", "with --slurm: an array of `N` tasks", "one for 8 runs, at most 100"),
			f.TimeoutFlag(), f.AllowExecFlag(), f.KeepFlag(),
		}
		return append(all, f.SpecFlags()...), f.act
	},
})

// flags is the command sweep, with its flags.
type flags struct {
	runner.Flags
	tags               []string
	name, shard, slurm *string
	tasks              *int
	dryRun             bool
}

// act executes the action that the flags select.
func (f *flags) act(c *cli.Context) error {
	if err := f.check(c); err != nil {
		return err
	}
	s, err := newSweepRun(c, f)
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; nothing was begun", replay.ErrInterrupted), "rerun the command to begin it")
	}
	if err != nil {
		return err
	}
	switch {
	case f.dryRun:
		return s.dryRun()
	case f.slurm != nil:
		return s.writeScript()
	}
	return s.local(s.showCounts)
}

// check returns an error for flags that cannot be combined.
func (f *flags) check(c *cli.Context) error {
	switch {
	case f.dryRun && f.slurm != nil:
		return schema.Hint(errors.New("--dry-run and --slurm together"), "give one of them")
	case f.shard != nil && (f.dryRun || f.slurm != nil):
		return schema.Hint(errors.New("--shard together with --dry-run or --slurm"), "these are for all runs")
	case f.tasks != nil && f.slurm == nil:
		return schema.Hint(errors.New("--tasks without --slurm"), "it is the number of tasks of a job array")
	}
	if c.NArg() > 1 {
		return schema.Hint(fmt.Errorf("sweep takes no second argument %q", c.Args().Get(1)),
			"the one argument is a TOML file")
	}
	if f.tasks != nil && (*f.tasks < 1 || *f.tasks > sweep.MaxShards) {
		return schema.Hint(fmt.Errorf("--tasks %d", *f.tasks), "use 1 to %d", sweep.MaxShards)
	}
	_, err := f.ParseParallel()
	return err
}
