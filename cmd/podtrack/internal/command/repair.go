package command

import (
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/tempfile"

	"github.com/urfave/cli/v2"
)

// repairing is the command repair, with its flags.
type repairing struct{ pruned bool }

func repairCommand() *cli.Command {
	var p repairing
	return &cli.Command{
		Name:      "repair",
		Usage:     "bring back what is damaged or missing, by computing it again, and prove it",
		ArgsUsage: "[RUN… | FILTER]",
		Description: `What is sound in the store goes into a new file, the rest is computed again from what
is left and counts only if its digest is the one that the chain names. The new file then takes the
old one's place, which stays beside it as .damaged. Where nothing is wrong, nothing is changed.
Others may use the store meanwhile: what they commit is taken over before the files are exchanged. Only a
file whose structure is damaged, so that nobody can write to it, is locked until the repair ends.`,
		Flags: append(append(runner.ExternalFlags(), runner.StageFlags()...),
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			cmdline.Flag(&p.pruned, "pruned", "bring back what was pruned, in the store as it is, and keep it from now on"),
		),
		Action: cmdline.Interruptible(cmdline.Answering(p.repair), "the store is as it was",
			"rerun the command to start again"),
	}
}

func (p *repairing) repair(c *cli.Context) (a cmdline.Answer, err error) {
	with, err := runner.ParsePrograms(c)
	if err != nil {
		return a, err
	}
	store, out := cmdline.OpenStore(c), newRepaired()
	if p.pruned {
		if _, err = out.choose(c, store); err == nil {
			err = out.unprune(c, store, with)
		}
		return out.answer(true), cmdline.Interrupted(err, "what was restored stays", "the same command restores the rest")
	}
	found, err := showCheck(c, check.Options{Read: func(schema.Digest) bool { return true }})
	switch {
	case err == nil && found.Intact():
		_, err := out.choose(c, store) // for the error if one of the named runs does not exist
		return cmdline.Answer{JSON: out, Text: func(w table.Text) {
			fmt.Fprintf(w, "nothing to repair: %s of %s are as they should be\n",
				cmdline.Plural(found.Records-found.Pruned, "record"), cmdline.Plural(found.Runs, "run"))
		}}, err
	case err == nil, errors.Is(err, tracker.ErrNotStore), errors.Is(err, tracker.ErrDamaged):
		err := out.repairStore(c, store, found, with)
		return out.answer(false), err
	}
	return a, err
}

// answer returns the report, with an error if something remains lost.
func (r *repairReport) answer(pruned bool) cmdline.Answer {
	a := cmdline.Answer{JSON: r, Text: func(w table.Text) { r.print(w, pruned) }}
	if r.incomplete() {
		a.Verdict = schema.Hint(fmt.Errorf("%w: not all could be restored", cmdline.ErrDifference), "%s", r.advice(pruned))
	}
	return a
}

// repairStore replaces a damaged store by a sound one, unless that would lack the same records.
// Other processes may use the store meanwhile.
func (r *repairReport) repairStore(c *cli.Context, store *tracker.Store, found check.Report, with replay.Options) error {
	repair, err := store.BeginRepair(c.Context)
	if err != nil {
		return err
	}
	defer repair.Close()
	cmdline.PrintLeftovers(c.App.ErrWriter, repair.Leftovers)
	r.Leftovers = repair.Leftovers
	wanted, err := r.choose(c, repair.NewStore)
	if err != nil {
		return err
	}
	of := func(id schema.Digest) bool { return wanted == nil || wanted[id] }
	if err := r.recompute(c, repair, of, with); err != nil {
		return err
	}
	mended, err := r.recordRemaining(c.Context, found, repair.NewStore, of)
	if err == nil && mended {
		r.Old, err = repair.Replace(c.Context, func(runs []schema.Digest) error {
			return r.recompute(c, repair, func(id schema.Digest) bool {
				return of(id) && slices.Contains(runs, id)
			}, with)
		})
	}
	r.RepairReport = repair.Report
	return err
}

// recompute recomputes what the new store lacks of some runs.
func (r *repairReport) recompute(
	c *cli.Context, repair *tracker.Repair, of func(schema.Digest) bool, with replay.Options,
) error {
	bar := cmdline.StartProgress(c.App.ErrWriter, len(r.selected), iterationsOf(r.selected, replay.Scope{}))
	with.Report = bar.Report
	runs, err := replay.Repair(c.Context, repair, of, with)
	if bar.Stop(); err != nil {
		return err
	}
	evaluations, err := evaluate.Repair(c.Context, repair)
	if err != nil {
		return err
	}
	r.include(runs, evaluations)
	r.RepairReport = repair.Report
	return nil
}

func newRepaired() *repairReport {
	lost := tracker.RepairReport{Pages: []string{}, Rows: []tracker.LostRow{}, Gaps: []tracker.Gap{}}
	return &repairReport{RepairReport: lost, Runs: []replay.RepairedRun{}, Evaluations: []evaluate.RepairedEvaluation{},
		Damaged: []check.Damage{}, Leftovers: tempfile.EmptyLeftovers()}
}

// unprune recomputes and restores pruned records.
func (r *repairReport) unprune(c *cli.Context, store *tracker.Store, with replay.Options) error {
	bar := cmdline.StartProgress(c.App.ErrWriter, len(r.selected), iterationsOf(r.selected, replay.Scope{}))
	defer bar.Stop()
	with.Report = bar.Report
	for _, run := range r.selected {
		back, err := replay.Unprune(c.Context, store, run.Source, with)
		if errors.Is(err, replay.ErrRemoved) {
			r.Removed = append(r.Removed, run.ID)
			fmt.Fprintf(c.App.ErrWriter, "run %s was removed meanwhile\n", run.Label())
			continue
		}
		if errors.Is(err, tracker.ErrPruned) { // it was read before
			r.Runs = append(r.Runs, newPrunedMeanwhile(run.ID))
			continue
		}
		if err != nil {
			return fmt.Errorf("run %s: %w", run.Label(), err)
		}
		r.Runs = append(r.Runs, replay.RepairedRun{RestoreReport: back, Rebuilt: []int{}})
	}
	return nil
}

// newPrunedMeanwhile returns the result for a run that another process prunes while its records are
// restored.
func newPrunedMeanwhile(id schema.Digest) replay.RepairedRun {
	restored := replay.RestoreReport{Run: id, Recomputed: []replay.LostRecord{}, Lost: []replay.LostRecord{}}
	return replay.RepairedRun{RestoreReport: restored, Rebuilt: []int{}, Failed: prunedMeanwhile}
}

// choose selects the runs that the arguments name, and reads all runs for their labels. Without
// arguments, wanted is nil.
func (r *repairReport) choose(c *cli.Context, store *tracker.Store) (wanted map[schema.Digest]bool, err error) {
	r.runs = map[schema.Digest]report.Run{}
	err = store.View(c.Context, func(tx *tracker.Tx) error {
		if r.selected, err = report.Select(tx, c.Args().Slice()); err != nil {
			return err
		}
		if c.NArg() > 0 {
			wanted = map[schema.Digest]bool{}
		}
		for _, run := range r.selected {
			if wanted != nil {
				wanted[run.ID] = true
			}
		}
		all, err := report.Select(tx, nil)
		for _, run := range all {
			r.runs[run.ID] = run
		}
		return err
	})
	return wanted, err
}
