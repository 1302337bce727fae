package inspect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/audit"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/diffview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"

	"github.com/urfave/cli/v2"
)

// showWithout forks the run, without the option in its action set, runs the fork as far as the run
// goes, and prints how they differ. Unless it is to be kept, the fork is made in a store of its own.
func (a *auditFlags) showWithout(c *cli.Context, run *recorded.Records, q why.Question) error {
	if err := a.checkPrinted(c, "without", "a counterfactual", "depth", "ablate", "state", "forward"); err != nil {
		return err
	}
	with, err := a.ParsePrograms()
	if err != nil {
		return err
	}
	job, x, err := withoutJob(run, q.Ref)
	if err != nil {
		return err
	}
	x.Kept = a.keep
	if a.name != nil && !a.keep {
		return schema.Hint(errors.New("--name without --keep"), "add --keep: a fork that is not kept has no name")
	}
	if a.keep {
		if job.Name, err = a.nameFork(c, run, job, x.Number); err != nil {
			return err
		}
	}
	if err := makeWithout(c, run, job, with, &x); err != nil {
		return err
	}
	return a.print(c, x, func(w table.Text) { printCounterfactual(w, run, x) })
}

// makeWithout makes the fork and compares the run with it. Where the fork is not kept, its store is
// removed before anything is printed: the reader of a pipe may end this process.
func makeWithout(
	c *cli.Context, run *recorded.Records, job replay.Job, with replay.Options, x *counterfactual,
) error {
	store, discard, err := counterfactualStore(c, run, x.Kept)
	if err != nil {
		return err
	}
	defer discard()
	outcome, err := runFork(c, store, job, with)
	if err != nil {
		if x.Kept {
			err = cmdline.Interrupted(err, "the fork is kept as far as it goes", "rerun the command to continue it")
		}
		return err
	}
	x.Run = outcome.Run
	fork, err := report.Open(c.Context, store, x.Run.String())
	if err != nil {
		return err
	}
	x.Name = fork.Name
	if x.Diff, err = diff.CompareRecords(c.Context, run, fork, diff.Limits{}); err != nil {
		return err
	}
	x.Later = countLater(x.Diff, x.From)
	x.Measures, err = readMeasuresWithout(run, fork, x.From)
	return err
}

// withoutJob returns the job of the fork.
func withoutJob(run *recorded.Records, ref report.Ref) (job replay.Job, x counterfactual, err error) {
	number, err := report.OptionNumber(run, ref)
	if err != nil {
		return job, x, err
	}
	x = counterfactual{Option: report.OptionRef(run.Label(), ref.K, ref.J, ref.Sign), Number: number, From: ref.K + 1}
	switch spec := run.Spec; {
	case x.From >= len(run.Iterations):
		return job, x, schema.Hint(fmt.Errorf("%s was found in the last iteration, so that nothing was done with it yet",
			x.Option), "podtrack resume %s --iterations %d continues the run", textfmt.ShellQuote(run.Label()), x.From+1)
	case slices.Contains(spec.LeaveOut, uint64(x.Number)):
		return job, x, schema.Hint(fmt.Errorf("run %s leaves option %d out already", run.Label(), x.Number),
			"podtrack show %s shows its spec", textfmt.ShellQuote(run.Label()))
	}
	job.Spec = run.Spec
	job.Spec.LeaveOut = append(slices.Clone(run.Spec.LeaveOut), uint64(x.Number))
	slices.Sort(job.Spec.LeaveOut)
	if err := replay.CheckSpec(&job.Spec); err != nil {
		return job, x, err
	}
	job.Start, job.Fork = &run.Iterations[ref.K].Link, &tracker.Fork{Parent: run.ID, K: x.From}
	job.Target = len(run.Iterations)
	return job, x, nil
}

// counterfactualStore returns the store in which the fork is made: the run's own, or one with a copy
// of the run that discard removes.
func counterfactualStore(
	c *cli.Context, run *recorded.Records, keep bool,
) (store *tracker.Store, discard func(), err error) {
	if keep {
		return cmdline.OpenStore(c), func() {}, nil
	}
	folder, err := os.MkdirTemp("", "podtrack-without-")
	if err != nil {
		return nil, nil, err
	}
	discard = func() { _ = os.RemoveAll(folder) }
	path := filepath.Join(folder, "podtrack.db")
	if err := runner.BuildBundle(c.Context, cmdline.OpenStore(c), []report.Run{report.Of(run)}, path); err != nil {
		discard()
		return nil, nil, err
	}
	return tracker.New(path, tracker.Options{}), discard, nil
}

// runFork runs a job in a store.
func runFork(
	c *cli.Context, store *tracker.Store, job replay.Job, with replay.Options,
) (outcome replay.Outcome, err error) {
	if _, err := replay.CheckJobs(c.Context, store, []replay.Job{job}, with); err != nil {
		return outcome, err
	}
	bar := cmdline.StartProgress(c.App.ErrWriter, 1, int64(job.Target))
	with.Report = bar.Report
	outcomes, err := replay.RunJobs(c.Context, store, []replay.Job{job}, 1, with,
		func(w *groupcommit.Writer) error { return runner.CloseWriter(c.Context, w) })
	bar.Stop()
	if len(outcomes) > 0 {
		outcome = outcomes[0]
	}
	return outcome, err
}

// nameFork returns the name of a fork that is kept: the one that --name gives, or the run's with the option that it
// lacks. It returns "" if the fork has a name already, or if another run has that one.
func (a *auditFlags) nameFork(c *cli.Context, run *recorded.Records, job replay.Job, number int) (string, error) {
	if a.name != nil {
		return sweep.ExpandName(*a.name, job.Spec)
	}
	name := fmt.Sprintf("%s-without-%d", run.Label(), number)
	if tracker.ValidateName(name) != nil {
		return "", nil // it would be too long
	}
	id, err := job.ID()
	if err != nil {
		return "", err
	}
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		fork, err := tx.ReadAnnotation(id)
		if err == nil && fork.Name != "" {
			name = ""
		}
		if err != nil && !errors.Is(err, tracker.ErrMissing) || name == "" {
			return err
		}
		switch holder, err := tx.Resolve(name); {
		case errors.Is(err, tracker.ErrMissing):
			return nil
		case err != nil:
			return err
		case holder.ID != id:
			name = ""
		}
		return nil
	})
	return name, err
}

// printCounterfactual prints what would have been without the option: sentences that sum it up, the measures of both
// runs, then how they differ by iteration.
func printCounterfactual(w table.Text, run *recorded.Records, x counterfactual) {
	kept := "; --keep keeps it"
	switch {
	case x.Kept && x.Name == "":
		kept = ", which is kept"
	case x.Kept:
		kept = ", which is kept as " + x.Name
	}
	w.Wrapped("%s without option %d (%s) from iteration %d on: run %.12s%s\n", run.Label(), x.Number, x.Option,
		x.From, x.Run, kept)
	printVerdictWithout(w, x)
	printMeasuresWithout(w, x.Measures)
	w.Blank()
	diffview.Print(w, x.Diff)
	if !x.Diff.Identical {
		fmt.Fprintf(w, "a: %s, b: the same without option %d\n", run.Label(), x.Number)
	}
}

// printVerdictWithout prints from which iteration on the runs differ, and how many of the later
// purposes stay the same.
func printVerdictWithout(w table.Text, x counterfactual) {
	if x.Diff.Divergence == nil {
		w.Prose("Nothing that was recorded differs without the option.")
		return
	}
	w.Prose("Without the option the run differs from iteration %d on, stage %s.", x.Diff.Divergence.K,
		x.Diff.Divergence.Stage)
	switch l := x.Later; {
	case l.Purposes == 0:
		w.Prose("The run selects no later purpose.")
	default:
		similar := ""
		if l.Similarity != nil {
			similar = fmt.Sprintf("; the options of these have a mean similarity of %.3f", *l.Similarity)
		}
		w.Prose("Of its %s, both signs counted, %d %s the same without it (|cos_M| ≥ %.3g)%s.",
			cmdline.Plural(l.Purposes, "later purpose"), l.Same, isOrAre(l.Same), l.Threshold, similar)
	}
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// measuresShown are the measures that say where the agent got.
var measuresShown = []string{"distance", "states_visited", "calls", "option_length"}

// printMeasuresWithout prints measures of the last iteration, and their means over all that can differ.
func printMeasuresWithout(w table.Text, all []measuresWithout) {
	if len(all) == 0 {
		return
	}
	last := all[len(all)-1]
	g := table.New(table.Left("measure"), table.Right("with it"), table.Right("without it"), table.Right("mean with it"),
		table.Right("mean without it"))
	for _, name := range measuresShown {
		a, b := valueOf(last.With, name), valueOf(last.Without, name)
		if a == nil && b == nil {
			continue
		}
		meanA := meanMeasure(all, func(m measuresWithout) *float64 { return valueOf(m.With, name) })
		meanB := meanMeasure(all, func(m measuresWithout) *float64 { return valueOf(m.Without, name) })
		digits := 0
		if name == "option_length" {
			digits = 1
		}
		title, _ := report.MeasureTitle(name)
		g.Add(title, table.Number(a, digits), table.Number(b, digits), table.Number(meanA, 1),
			table.Number(meanB, 1))
	}
	if len(g.Rows) == 0 {
		return
	}
	w.TableBelow(g)
	w.Prose("Of iteration %d, the last; means over %s. One run each: how much of a difference is the "+
		"option's and how much is chance, two runs cannot tell.", last.K, audit.IterationsText([2]int{all[0].K, last.K}))
}

// valueOf returns a measure by its name, nil if it is not defined or was pruned.
func valueOf(m *schema.Measures, name string) *float64 {
	if m == nil {
		return nil
	}
	x, _ := m.Get(name)
	return x
}

// meanMeasure returns the mean of the values that are defined, nil if none is.
func meanMeasure(all []measuresWithout, of func(measuresWithout) *float64) *float64 {
	sum, n := 0.0, 0.0
	for _, m := range all {
		if x := of(m); x != nil {
			sum, n = sum+*x, n+1
		}
	}
	if n == 0 {
		return nil
	}
	sum /= n
	return &sum
}

// laterPurposes counts the run's purposes from the first iteration without the option on, and those that the fork has
// too. Each sign counts.
type laterPurposes struct {
	Purposes   int      `json:"purposes"`
	Same       int      `json:"same"`              // with a partner whose |cos_M| reaches the threshold
	Threshold  float64  `json:"threshold"`         // of |cos_M|
	Similarity *float64 `json:"option_similarity"` // mean over the options of these, nil without one
}

func countLater(r diff.Report, from int) (l laterPurposes) {
	sum, n := 0.0, 0.0
	for _, it := range r.Iterations[min(from, len(r.Iterations)):] {
		l.Threshold = it.Threshold
		l.Purposes += len(it.OnlyA)
		for _, p := range it.Pairs {
			if !p.Matched {
				continue
			}
			l.Purposes, l.Same = l.Purposes+1, l.Same+1
			if p.BehaviourSimilarity != nil {
				sum, n = sum+p.Similarity, n+1
			}
		}
	}
	if n > 0 {
		sum /= n
		l.Similarity = &sum
	}
	return l
}

// measuresWithout are the measures of an iteration of a run and of its fork, nil where they were pruned.
type measuresWithout struct {
	K       int              `json:"k"`
	With    *schema.Measures `json:"with"`
	Without *schema.Measures `json:"without"`
}

// readMeasuresWithout reads the measures of both runs from an iteration on.
func readMeasuresWithout(run, fork *recorded.Records, from int) ([]measuresWithout, error) {
	all := []measuresWithout{}
	for k := from; k < min(len(run.Iterations), len(fork.Iterations)); k++ {
		all = append(all, measuresWithout{K: k})
	}
	for _, side := range []struct {
		run *recorded.Records
		of  func(*measuresWithout) **schema.Measures
	}{
		{run, func(m *measuresWithout) **schema.Measures { return &m.With }},
		{fork, func(m *measuresWithout) **schema.Measures { return &m.Without }},
	} {
		err := side.run.View(func(tx *tracker.Tx) error {
			for i := range all {
				m, err := report.LoadMeasures(tx, side.run.ID, all[i].K)
				switch {
				case errors.Is(err, tracker.ErrPruned):
				case err != nil:
					return side.run.WrapError(all[i].K, err)
				default:
					*side.of(&all[i]) = &m
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// counterfactual is the output of why --without.
type counterfactual struct {
	Option string        `json:"option"`
	Number int           `json:"number"`
	From   int           `json:"from"` // first iteration whose action set lacks the option
	Run    schema.Digest `json:"run"`  // the fork
	Name   string        `json:"name"` // the fork's, "" for none
	Kept   bool          `json:"kept"`
	Later  laterPurposes `json:"later"`
	// Measures are those of both runs, from the first iteration without the option on.
	Measures []measuresWithout `json:"measures"`
	Diff     diff.Report       `json:"diff"` // a: the run, b: the fork
}
