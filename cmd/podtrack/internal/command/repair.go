package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func repairCommand() *cli.Command {
	return &cli.Command{
		Name:      "repair",
		Usage:     "bring back what is damaged or missing, by computing it again, and prove it",
		ArgsUsage: "[RUN… | FILTER]",
		Description: `What is sound in the store goes into a new file, the rest is computed again from what
is left and counts only if its digest is the one that the chain names. The new file then takes the
old one's place, which stays beside it as .damaged. Where nothing is wrong, nothing is changed.
Others may use the store meanwhile; if they commit something, it is taken in at the end, while they wait.`,
		Flags: append(runner.OutsideFlags(),
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			&cli.BoolFlag{Name: "pruned", Usage: "bring back what was pruned, in the store as it is, and keep it from now on"},
		),
		Action: repair,
	}
}

// repairReport is what a repair did.
type repairReport struct {
	tracker.RepairReport
	Runs []replay.RepairedRun `json:"repaired"`
	Old  string               `json:"old"` // where the damaged file is now, "" where nothing was changed

	Evaluations []evaluate.RepairedEvaluation `json:"evaluations"`

	Damaged []tracker.Damage `json:"damaged"` // still
	Removed []schema.Digest  `json:"removed"` // runs that others removed while what was pruned of them came back
	tracker.Leftovers

	selected []report.Run
	runs     map[schema.Digest]report.Run
}

func repair(c *cli.Context) error {
	if err := runner.UseOutside(c); err != nil {
		return err
	}
	if c.Bool("pruned") {
		return unprune(c)
	}
	store := cmdline.OpenStore(c)
	found, err := showCheck(c, tracker.CheckOptions{Read: func(schema.Digest) bool { return true }})
	switch {
	case err == nil && found.Intact():
		return printNothingToRepair(c, store, found)
	case err == nil, errors.Is(err, tracker.ErrNotStore), errors.Is(err, tracker.ErrDamaged):
		return repairError(repairStore(c, store, found))
	}
	return repairError(err)
}

// patientRepairs is how often a repair begins again while others go on. Each time it has
// less to do, and ends well if nobody commits meanwhile; then it makes them wait.
const patientRepairs = 8

// repairStore puts a sound store in the place of a damaged one, unless it would lack the
// same. Others use the store while it computes. If they committed something meanwhile, it
// begins again with what it has computed.
func repairStore(c *cli.Context, store *tracker.Store, found tracker.CheckReport) error {
	rescue, err := store.BeginRepair(c.Context)
	if err != nil {
		return err
	}
	defer func() { rescue.Close() }()
	cmdline.PrintLeftovers(c.App.ErrWriter, rescue.Leftovers)
	out, err := repairSalvaged(c, rescue, found)
	for n := 1; errors.Is(err, tracker.ErrChanged); n++ {
		before, alone := out, n > patientRepairs
		if alone {
			fmt.Fprintf(c.App.ErrWriter, "%s is used all the while: what was committed is taken in while others wait\n", cmdline.StorePath(c))
		}
		again, failed := rescue.Retry(c.Context, alone)
		if failed != nil {
			return failed
		}
		again.Leftovers = rescue.Leftovers
		rescue.Close()
		rescue = again
		if out, err = repairSalvaged(c, rescue, found); out != nil {
			out.include(before)
		}
	}
	if err != nil {
		return err
	}
	return out.conclude(c)
}

// repairSalvaged computes what is lost, and puts the new store in the old one's place if
// that mends anything.
func repairSalvaged(c *cli.Context, rescue *tracker.Repair, found tracker.CheckReport) (*repairReport, error) {
	out := newRepaired()
	out.Leftovers = rescue.Leftovers
	wanted, err := out.choose(c, rescue.NewStore)
	if err != nil {
		return nil, err
	}
	of := func(id schema.Digest) bool { return wanted == nil || wanted[id] }
	bar := cmdline.StartProgress(c.App.ErrWriter, len(out.selected), iterationsOf(out.selected, -1))
	out.Runs, err = replay.Repair(c.Context, rescue, of, bar.Report)
	if bar.Stop(); err != nil {
		return nil, err
	}
	if out.Evaluations, err = evaluate.Repair(c.Context, rescue); err != nil {
		return nil, err
	}
	out.RepairReport = rescue.Report
	mended, err := out.still(c.Context, found, rescue.NewStore, of)
	if err == nil && mended {
		out.Old, err = rescue.Replace(c.Context)
	}
	return out, err
}

// printNothingToRepair says so, once it is known that there are the runs that were
// named.
func printNothingToRepair(c *cli.Context, store *tracker.Store, found tracker.CheckReport) error {
	out := newRepaired()
	if _, err := out.choose(c, store); err != nil {
		return err
	}
	if c.Bool("json") {
		return cmdline.PrintJSON(c.App.Writer, out)
	}
	_, err := fmt.Fprintf(c.App.Writer, "nothing to repair: %s of %s are as they should be\n", cmdline.Plural(found.Records-found.Pruned, "record"), cmdline.Plural(found.Runs, "run"))
	return err
}

func newRepaired() *repairReport {
	lost := tracker.RepairReport{Pages: []string{}, Rows: []tracker.LostRow{}, Gaps: []tracker.Gap{}}
	return &repairReport{RepairReport: lost, Runs: []replay.RepairedRun{}, Evaluations: []evaluate.RepairedEvaluation{}, Damaged: []tracker.Damage{}, Leftovers: tracker.EmptyLeftovers()}
}

// repairError says of an interruption that the store is as it was.
func repairError(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; the store is as it was", replay.ErrInterrupted), "the same command begins again")
	}
	return err
}

// unprune brings back what was pruned.
func unprune(c *cli.Context) error {
	store := cmdline.OpenStore(c)
	out := newRepaired()
	if _, err := out.choose(c, store); err != nil {
		return err
	}
	if err := out.unprune(c, store); err != nil {
		return err
	}
	return out.conclude(c)
}

func (r *repairReport) unprune(c *cli.Context, store *tracker.Store) error {
	bar := cmdline.StartProgress(c.App.ErrWriter, len(r.selected), iterationsOf(r.selected, -1))
	defer bar.Stop()
	for _, run := range r.selected {
		back, err := replay.Unprune(c.Context, store, run.Source, bar.Report)
		if errors.Is(err, replay.ErrRemoved) {
			r.Removed = append(r.Removed, run.ID)
			fmt.Fprintf(c.App.ErrWriter, "run %s was removed meanwhile\n", run.Label())
			continue
		}
		if err != nil {
			return fmt.Errorf("run %s: %w", run.Label(), err)
		}
		r.Runs = append(r.Runs, replay.RepairedRun{RestoreReport: back, Rebuilt: []int{}})
	}
	return nil
}

// conclude prints what was done, and says by an error if something is lost.
func (r *repairReport) conclude(c *cli.Context) (err error) {
	if c.Bool("json") {
		err = cmdline.PrintJSON(c.App.Writer, r)
	} else {
		err = r.print(c.App.Writer, c.Bool("pruned"))
	}
	if err == nil && r.incomplete() {
		err = schema.Hint(fmt.Errorf("%w: not all could be restored", cmdline.ErrDifference), "%s", r.again(c.Bool("pruned")))
	}
	return err
}

// choose finds the runs that the arguments name, all for none, and how to call
// them.
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
