// Package sweep implements the command podtrack sweep: grids of runs on this machine, in shards or
// on Slurm.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
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

var _ = cmdline.Register(cmdline.Command{
	Name: "sweep", Group: cmdline.GroupRun, Place: 3,
	Example:     "podtrack sweep --bits 5,6 --seeds 0-1 --iterations 2 --tag study",
	JSON:        []any{summary{}, Status{}, gatherReport{}, shardReport{}},
	Usage:       "make the runs of a grid of specs, here or on a cluster",
	Args:        "[FILE.toml]",
	Description: sweepDescription,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var f flags
		all := []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			cmdline.Flag(&f.grid, "grid", "let a field take several values: `FIELD=A,B,…`; may be given several times"),
			cmdline.Optional(&f.Seeds, "seeds",
				"make one run of each spec for each seed in `A-B`, or in a list such as 0,3,7-9", ""),
			cmdline.Optional(&f.Iterations, "iterations", "make iterations until each run has `N`",
				fmt.Sprint(pod.PaperIterations)),
			f.SpecFileFlag(),
			cmdline.Optional(&f.name, "name", "name the runs; fields in braces are filled in: `k{kappa}-s{seed}`", ""),
			cmdline.Flag(&f.tags, "tag",
				"tag the runs with `TAG`; may be given several times. podtrack status tag=TAG shows how far they are"),
			f.ParallelFlag(), f.ChangedCodeFlag(),
			cmdline.Flag(&f.dryRun, "dry-run",
				"show what would be made, what is there, and about how much time and room the rest takes"),
			f.shardFlag(),
			cmdline.Optional(&f.folder, "folder", "the `DIR` in which machines that share no store meet",
				"with --slurm and --status one beside the store"),
			cmdline.Optional(&f.scratch, "scratch", "with --folder and --shard: work in `DIR`, on a local disk", "$TMPDIR"),
			cmdline.Optional(&f.saveEvery, "save-every",
				"with --folder and --shard: put what there is into the folder every `TIME`", usualSaveEvery.String()),
			cmdline.Flag(&f.gather, "gather",
				"take what is in the folder into --store, part by part as their seals and their chains allow it"),
			cmdline.Flag(&f.prove, "prove",
				"with --gather: prove each record once more; parts that others can write to are taken only so"),
			cmdline.Flag(&f.status, "status",
				"show how far the sweep is: what is in the store and in the folder, and what Slurm's queue has"),
			cmdline.Flag(&f.submits, "slurm", "submit what is missing as a Slurm job array, and a job that gathers it"),
			cmdline.Optional(&f.tasks, "tasks", "with --slurm: an array of `N` tasks", "one for 8 runs, at most 100"),
			cmdline.Optional(&f.sbatch, "sbatch",
				"with --slurm: more `FLAGS` for sbatch, such as '--time=4:00:00 --partition=cpu'", ""),
			cmdline.Flag(&f.print, "print", "with --slurm: print the scripts and the commands, and submit nothing"),
			f.TimeoutFlag(), f.StageTimeoutFlag(), f.AllowExecFlag(),
		}
		return slices.Concat(all, f.KeepFlags(), f.SpecFlags()), f.act
	},
})

// flags is the command sweep, with its flags.
type flags struct {
	runner.Flags
	grid, tags                                    []string
	name, shard, folder, scratch, sbatch          *string
	saveEvery                                     *time.Duration
	tasks                                         *int
	dryRun, gather, prove, status, submits, print bool
}

func (f *flags) shardFlag() cli.Flag {
	return cmdline.Optional(&f.shard, "shard", "make part `i/n` alone, i from 0",
		"all, or as SLURM_ARRAY_TASK_ID and its relatives say")
}

// usualSaveEvery is the time between saves without --save-every.
const usualSaveEvery = 5 * time.Minute

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
	case f.status:
		return s.status()
	case f.gather:
		return s.gather()
	case f.submits:
		return s.submit()
	case s.folder.Path != "":
		return s.attempt()
	}
	return s.local(s.showCounts)
}

// check returns an error for flags that cannot be combined.
func (f *flags) check(c *cli.Context) error {
	mode := ""
	for _, m := range []struct {
		name  string
		given bool
	}{{"dry-run", f.dryRun}, {"status", f.status}, {"gather", f.gather}, {"slurm", f.submits}} {
		if m.given && mode != "" {
			return schema.Hint(fmt.Errorf("--%s and --%s together", mode, m.name), "give one of them")
		}
		if m.given {
			mode = m.name
		}
	}
	worker := f.submits || mode == "" && f.folder != nil
	for _, of := range []struct {
		flag, with, hint string
		given, fits      bool
	}{
		{"tasks", "--slurm", "it is about what is submitted to Slurm", f.tasks != nil, f.submits},
		{"sbatch", "--slurm", "it is about what is submitted to Slurm", f.sbatch != nil, f.submits},
		{"print", "--slurm", "it is about what is submitted to Slurm", f.print, f.submits},
		{"scratch", "--folder", "it is for tasks that work in a store of their own and meet in a folder",
			f.scratch != nil, worker},
		{"save-every", "--folder", "it is for tasks that work in a store of their own and meet in a folder",
			f.saveEvery != nil, worker},
		{"prove", "--gather", "podtrack check --read-data proves what is in a store", f.prove, f.gather},
	} {
		if of.given && !of.fits {
			return schema.Hint(fmt.Errorf("--%s without %s", of.flag, of.with), "%s", of.hint)
		}
	}
	if f.shard != nil && mode != "" {
		return schema.Hint(fmt.Errorf("--shard and --%s together", mode), "--%s is for the complete sweep", mode)
	}
	if c.NArg() > 1 {
		return schema.Hint(fmt.Errorf("sweep takes no second argument %q", c.Args().Get(1)),
			"the one argument is a TOML file")
	}
	if f.saveEvery != nil && *f.saveEvery <= 0 {
		return schema.Hint(fmt.Errorf("--save-every %v", *f.saveEvery), "give a time such as 60s or 5m")
	}
	if f.tasks != nil && (*f.tasks < 1 || *f.tasks > sweep.MaxShards) {
		return schema.Hint(fmt.Errorf("--tasks %d", *f.tasks), "use 1 to %d", sweep.MaxShards)
	}
	_, err := f.ParseParallel()
	return err
}
