package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/repair"
	"github.com/podtrack/podtrack/tracker/tempfile"

	"github.com/urfave/cli/v2"
)

type repairing struct {
	runner.Flags
	pruned bool
}

var _ = cmdline.Register(cmdline.Command{
	Name: "repair", Group: cmdline.GroupCare, Place: 3,
	Example: "podtrack repair --pruned ring1",
	JSON:    []any{repairReport{}},
	Usage:   "recompute what is damaged or missing, and prove it",
	Args:    "[RUN… | FILTER]",
	Description: `Copies what is intact into a new file, and computes the rest again from that; a result
counts only if its digest is the one that the chain names. The new file then replaces the
old one, which is kept beside it as .damaged. If nothing is damaged, nothing is changed.
podtrack check --read-data lists beforehand what it would repair, and changes nothing.
It refuses to start while a process works on a run. Meanwhile
other processes can read the store; those that write wait, with a message, and continue in
the new file.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var p repairing
		return append(p.ProgramFlags(), cmdline.StoreFlag(), cmdline.JsonFlag(),
				cmdline.Flag(&p.pruned, "pruned", "restore pruned records, in the store as it is, and keep them from now on"),
			), cmdline.Interruptible(cmdline.Answering(p.repair), "the store is as it was",
				"rerun the command to start again")
	},
})

func (r *repairing) repair(c *cli.Context) (a cmdline.Answer, err error) {
	with, err := r.ParsePrograms()
	if err != nil {
		return a, err
	}
	store, out := cmdline.OpenStore(c), newRepaired()
	if r.pruned {
		if _, err = out.choose(c, store); err == nil {
			err = out.unprune(c, store, with)
		}
		return out.answer(true), cmdline.Interrupted(err, "what was restored stays", "rerun the command to restore the rest")
	}
	found, err := showCheck(c, check.Options{Read: func(schema.Digest) bool { return true }})
	switch {
	case err == nil && found.Intact():
		_, err := out.choose(c, store) // for the error if one of the named runs does not exist
		return cmdline.Answer{JSON: out, Text: func(w table.Text) {
			fmt.Fprintf(w, "nothing to repair: %s of %s are intact\n",
				textfmt.CountOf(found.Records-found.Pruned, "record"), textfmt.CountOf(found.Runs, "run"))
		}}, err
	case err == nil, errors.Is(err, tracker.ErrNotStore), errors.Is(err, tracker.ErrDamaged):
		out, err := r.repairStore(c, store, found, with)
		return out.answer(false), err
	}
	return a, err
}

// answer returns the report, with an error if something remains lost.
func (r *repairReport) answer(pruned bool) cmdline.Answer {
	a := cmdline.Answer{JSON: r, Text: func(w table.Text) { r.print(w, pruned) }}
	if r.incomplete() {
		a.Verdict = schema.Hint(fmt.Errorf("%w: not everything could be restored", cmdline.ErrDifference), "%s",
			r.advice(pruned))
	}
	return a
}

// maxRepairs is how often a repair starts if its file is changed or replaced meanwhile.
const maxRepairs = 3

// repairStore replaces a damaged store by a sound one, unless that would lack the same records.
func (r *repairing) repairStore(
	c *cli.Context, store *tracker.Store, found check.Report, with replay.Options,
) (report *repairReport, err error) {
	for range maxRepairs {
		report = newRepaired()
		if err = r.repairOnce(c, report, store, found, with); !errors.Is(err, tracker.ErrReplaced) {
			break
		}
	}
	return report, err
}

func (r *repairing) repairOnce(
	c *cli.Context, report *repairReport, store *tracker.Store, found check.Report, with replay.Options,
) error {
	attempt, err := repair.Begin(c.Context, store)
	if err != nil {
		return err
	}
	defer attempt.Close()
	cmdline.PrintLeftovers(c.App.ErrWriter, attempt.Leftovers)
	report.Leftovers = attempt.Leftovers
	wanted, err := report.choose(c, attempt.NewStore)
	if err != nil {
		return err
	}
	of := func(id schema.Digest) bool { return wanted == nil || wanted[id] }
	bar := cmdline.StartProgress(c.App.ErrWriter, len(report.selected),
		runner.IterationsOf(report.selected, replay.Scope{}))
	with.Report = bar.Report
	report.Runs, err = replay.Repair(c.Context, attempt, of, with)
	bar.Stop()
	if err != nil {
		return err
	}
	mended, err := report.recordRemaining(c.Context, found, attempt.NewStore, of)
	if err == nil && mended {
		report.Old, err = attempt.Replace(c.Context)
	}
	report.Report = attempt.Report
	return err
}

func newRepaired() *repairReport {
	lost := repair.Report{Pages: []string{}, Rows: []repair.LostRow{}, Gaps: []repair.Gap{}}
	return &repairReport{Report: lost, Runs: []replay.RepairedRun{},
		Damaged: []check.Damage{}, Leftovers: tempfile.EmptyLeftovers()}
}

func (r *repairReport) unprune(c *cli.Context, store *tracker.Store, with replay.Options) error {
	bar := cmdline.StartProgress(c.App.ErrWriter, len(r.selected), runner.IterationsOf(r.selected, replay.Scope{}))
	defer bar.Stop()
	with.Report = bar.Report
	for _, run := range r.selected {
		back, err := replay.Unprune(c.Context, store, run.Source, with)
		if errors.Is(err, replay.ErrRemoved) {
			r.Vanished = append(r.Vanished, run.ID)
			fmt.Fprintf(c.App.ErrWriter, "run %s was removed meanwhile\n", run.Label())
			continue
		}
		repaired := replay.RepairedRun{RestoreReport: back, Rebuilt: []int{}}
		if errors.Is(err, tracker.ErrPruned) { // by another process, since choose read it
			repaired.Failed, err = prunedMeanwhile, nil
		}
		if err != nil {
			return fmt.Errorf("run %s: %w", run.Label(), err)
		}
		r.Runs = append(r.Runs, repaired)
	}
	return nil
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

// recordRemaining records the damage in the new store, and reports whether there is less than in the old one. If the
// check of the old store found none because it could not open it, the new one counts as repaired.
func (r *repairReport) recordRemaining(ctx context.Context, found check.Report, made *tracker.Store,
	of func(schema.Digest) bool) (mended bool, err error) {
	now, err := check.Run(ctx, made, check.Options{})
	for _, d := range now.Damaged {
		if d.Run == nil || of(*d.Run) {
			r.Damaged = append(r.Damaged, d)
		}
	}
	return found.Intact() || !found.IsSubsetOf(now), err
}

func (r *repairReport) incomplete() bool {
	for _, run := range r.Runs {
		if run.Failed != "" || len(run.Lost) > 0 {
			return true
		}
	}
	return len(r.Rows)+len(r.Damaged) > 0
}

func (r *repairReport) advice(pruned bool) string {
	if slices.ContainsFunc(r.Runs, func(run replay.RepairedRun) bool { return run.Failed == prunedMeanwhile }) {
		return "repair again when the other process is done"
	}
	if pruned && !slices.ContainsFunc(r.Runs, needsPrograms) {
		return "podtrack check --read-data shows which of the records it is computed from are damaged, and how to repair them"
	}
	for _, run := range r.Runs {
		if run.NeedsEnv {
			return fmt.Sprintf(
				"run %s needs environment %q, which runs in another process: "+
					"podtrack repair --env exec:CMD or --env gym:NAME, with its program, restores the run",
				r.runs[run.Run].Label(), r.runs[run.Run].Source.Spec.Env.Name)
		}
	}
	for _, run := range r.Runs {
		if len(run.NeedsStages) > 0 {
			return r.adviseStages(run, pruned)
		}
	}
	for _, run := range r.Runs {
		if slices.ContainsFunc(run.Lost, func(l replay.LostRecord) bool { return l.Imported }) {
			return fmt.Sprintf(
				"podtrack rm --yes %.12s, and then podtrack import of the same file with the same flags makes the same run",
				run.Run)
		}
	}
	return "the lost records are listed; removing such a run (podtrack rm RUN) and running its spec again makes the " +
		"same records"
}

// needsPrograms reports whether programs are needed to restore what a run still lacks.
func needsPrograms(run replay.RepairedRun) bool { return run.NeedsEnv || len(run.NeedsStages) > 0 }

// adviseStages returns advice to repair again with the programs of a run's external stages.
func (r *repairReport) adviseStages(run replay.RepairedRun, pruned bool) string {
	was := r.runs[run.Run]
	command, stages := "podtrack repair", []string{}
	if pruned {
		command += " --pruned"
	}
	for _, stage := range run.NeedsStages {
		command += fmt.Sprintf(" --%s exec:CMD", stage)
		stages = append(stages, fmt.Sprintf("%s %s", stage, was.Source.Spec.Stages.Of(stage)))
	}
	return fmt.Sprintf("run %s has external stages (%s): %s, with the program of each, restores the run",
		was.Label(), strings.Join(stages, ", "), command)
}

func (r *repairReport) print(w table.Text, pruned bool) {
	for _, p := range r.Pages {
		w.Line("file: %s", p)
	}
	back := 0
	for _, run := range r.Runs {
		back += len(run.Recomputed)
		r.printRun(w, run, pruned)
	}
	for _, row := range r.Rows {
		w.Line("lost: %s", row.What)
	}
	cmdline.PrintSome(w, cmdline.MaxLines, r.unmended())
	switch {
	case pruned:
		fmt.Fprintf(w, "%s of %s were computed again and have their old digests; they are kept from now on\n",
			textfmt.CountOf(back, "record"), textfmt.CountOf(len(r.Runs), "run"))
	case r.Old == "":
		fmt.Fprintln(w, "nothing could be restored, and the store is as it was")
	default:
		fmt.Fprintf(w, "%d records were sound, %d were computed again and have their old digests\n", r.Records, back)
		w.Line("the damaged file is now %s", r.Old)
	}
}

// unmended returns lines about the remaining damage other than lost records.
func (r *repairReport) unmended() (lines []string) {
	lost := map[schema.Digest]bool{}
	for _, run := range r.Runs {
		for _, l := range run.Lost {
			lost[l.Digest] = true
		}
	}
	for _, d := range r.Damaged {
		if d.Digest == nil || !lost[*d.Digest] {
			lines = append(lines, "still damaged: "+damageLine(d))
		}
	}
	return lines
}

// printRun lists the restored records of a run. For pruned records, it prints only their number.
func (r *repairReport) printRun(w table.Text, run replay.RepairedRun, pruned bool) {
	label, gone := r.runs[run.Run].Label(), "lost"
	if needsPrograms(run) {
		gone = "not computed here"
	}
	var back, lost []string
	for _, b := range run.Recomputed {
		back = append(back, fmt.Sprintf("restored: run %s, iteration %d, %s %.12s", label, b.K, b.Kind, b.Digest))
	}
	for _, l := range run.Lost {
		lost = append(lost, fmt.Sprintf("%s: run %s, iteration %d, %s %.12s: %s", gone, label, l.K, l.Kind, l.Digest,
			l.Reason))
	}
	if !pruned {
		cmdline.PrintSome(w, cmdline.MaxLines, back)
	}
	for _, k := range run.Rebuilt {
		fmt.Fprintf(w, "restored: run %s, iteration %d, its row\n", label, k)
	}
	cmdline.PrintSome(w, cmdline.MaxLines, lost)
	if run.Failed != "" {
		w.Line("%s: run %s: %s", gone, label, run.Failed)
	}
	if was := r.runs[run.Run]; r.Old != "" && len(run.Rebuilt) == 0 && was.Iterations < was.Target {
		fmt.Fprintf(w, "run %s has %d of %d iterations; podtrack resume %s continues it\n", label, was.Iterations, was.Target,
			textfmt.ShellQuote(label))
	}
}

type repairReport struct {
	repair.Report
	Runs []replay.RepairedRun `json:"repaired"`
	Old  string               `json:"old"` // new path of the damaged file, "" if nothing was changed

	Damaged []check.Damage `json:"damaged"` // damage that remains
	// runs that another process removed while their pruned records were recomputed
	Vanished []schema.Digest `json:"removed"`
	tempfile.Leftovers

	selected []report.Run
	runs     map[schema.Digest]report.Run
}

const prunedMeanwhile = "another process pruned it meanwhile"
