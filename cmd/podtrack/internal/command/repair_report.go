package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// recordRemaining records the damage in the new store, and reports whether there is less than in the old
// one. If the check of the old store found none because it could not open it, the new one counts
// as repaired.
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

// include adds results to those of an earlier attempt, which found less of the same runs to repair.
func (r *repairReport) include(runs []replay.RepairedRun, evaluations []evaluate.RepairedEvaluation) {
	for _, run := range runs {
		i := slices.IndexFunc(r.Runs, func(was replay.RepairedRun) bool { return was.Run == run.Run })
		if i < 0 {
			r.Runs = append(r.Runs, run)
			continue
		}
		was := r.Runs[i]
		run.Recomputed = append(was.Recomputed, run.Recomputed...)
		run.Rebuilt = append(was.Rebuilt, run.Rebuilt...)
		r.Runs[i] = run
	}
	r.Evaluations = append(r.Evaluations, evaluations...)
}

// incomplete reports whether something remains lost.
func (r *repairReport) incomplete() bool {
	for _, run := range r.Runs {
		if run.Failed != "" || len(run.Lost) > 0 {
			return true
		}
	}
	return len(r.Rows)+len(r.Damaged) > 0
}

// advice returns advice on how to recover what remains lost.
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
				"run %s is of environment %q, which runs in another process: "+
					"podtrack repair --env exec:CMD or --env gym:NAME, with the program that it is, brings it back",
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
				"podtrack rm --purge %.12s, and then podtrack import of the same file with the same flags makes the same run",
				run.Run)
		}
	}
	return "what is lost is listed; to remove such a run (podtrack rm RUN) and to run its spec again makes the same " +
		"records"
}

// needsPrograms reports whether a program brings back what remains lost of a run.
func needsPrograms(run replay.RepairedRun) bool { return run.NeedsEnv || len(run.NeedsStages) > 0 }

// adviseStages returns the command that brings back what the programs of a run's stages make.
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
	return fmt.Sprintf("run %s has stages that are programs (%s): %s, with the program that each is, brings it back",
		was.Label(), strings.Join(stages, ", "), command)
}

func (r *repairReport) print(w table.Text, pruned bool) {
	for _, p := range r.Pages {
		w.Line("file: %s", p)
	}
	back := len(r.Evaluations)
	for _, run := range r.Runs {
		back += len(run.Recomputed)
		r.printRun(w, run, pruned)
	}
	for _, e := range r.Evaluations {
		fmt.Fprintf(w, "restored: run %s, iteration %d, evaluation %.12s\n", r.runs[e.Run].Label(), e.K, e.Digest)
	}
	for _, row := range r.Rows {
		w.Line("lost: %s", row.What)
	}
	cmdline.PrintSome(w, cmdline.MaxLines, r.unmended())
	switch {
	case pruned:
		fmt.Fprintf(w, "%d records of %d runs were computed again and have their old digests; they are kept from now on\n",
			back, len(r.Runs))
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
			textform.ShellQuote(label))
	}
}

// repairReport is the output of repair.
type repairReport struct {
	tracker.RepairReport
	Runs []replay.RepairedRun `json:"repaired"`
	Old  string               `json:"old"` // new path of the damaged file, "" if nothing was changed

	Evaluations []evaluate.RepairedEvaluation `json:"evaluations"`

	Damaged []check.Damage `json:"damaged"` // damage that remains
	// runs that another process removed while their pruned records were recomputed
	Removed []schema.Digest `json:"removed"`
	tempfile.Leftovers

	selected []report.Run
	runs     map[schema.Digest]report.Run
}

const prunedMeanwhile = "another process prunes it meanwhile"
