package sweep

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/merge"
)

// gatherReport is the output of gathering.
type gatherReport struct {
	summary
	sweep.GatherReport
	Damaged []string `json:"damaged"` // damaged parts
}

// gather merges the folder's parts into the store.
func (s sweepRun) gather() error {
	ctx, store := s.Context.Context, s.store()
	if err := s.folder.CheckExists(); err != nil {
		return err
	}
	if err := store.Create(ctx); err != nil {
		return err
	}
	if err := s.folder.RecordStore(absolutePath(s.path)); err != nil {
		return err
	}
	bar := cmdline.StartBar(s.App.ErrWriter, s.folder.Path)
	got, bad, err := s.folder.Gather(ctx, store, s.flags.prove, bar.Count)
	bar.Stop()
	cmdline.PrintLeftovers(s.App.ErrWriter, got.Leftovers)
	s.printLeftOut(bad)
	progress := sweep.NewProgress(s.plan, sweep.WholePlan)
	if err == nil {
		_, err = progress.Scan(ctx, store)
	}
	if err == nil {
		err = s.annotate(ctx, store, progress)
	}
	if err != nil {
		return cmdline.StoppedMerge(err)
	}
	report := gatherReport{summary: s.summary(progress), GatherReport: got, Damaged: []string{}}
	for _, err := range bad {
		report.Damaged = append(report.Damaged, err.Error())
	}
	if !cmdline.WantsJSON(s.Context) {
		var lines []string
		for _, r := range report.Runs {
			lines = append(lines, fmt.Sprintf("run %.12s of %s is not taken: %s", r.Run, r.Part, r.Reason))
		}
		cmdline.PrintSome(s.App.ErrWriter, cmdline.MaxNotices, lines)
	}
	answer := s.answer(report, report.summary, fmt.Sprintf("%s; %s of %d bytes came from %s",
		s.progressText(report.summary), cmdline.Plural(report.Records, "record"), report.GatherReport.Bytes,
		cmdline.Plural(report.Parts, "part")))
	answer.Verdict = s.gatherVerdict(report)
	return answer.Print(s.Context)
}

// gatherVerdict returns an error if the gathering left out something, or if runs are incomplete.
func (s sweepRun) gatherVerdict(g gatherReport) error {
	differ, held := 0, 0
	for _, r := range g.Runs {
		switch r.Outcome {
		case merge.OutcomeDiffers:
			differ++
		case merge.OutcomeHeld:
			held++
		}
	}
	switch {
	case differ > 0:
		return schema.Hint(fmt.Errorf("%w: runs with different heads in two places: %d", cmdline.ErrDifference, differ),
			"podtrack replay RUN --store STORE says which of the two is right, in this store and in the part that is named")
	case held > 0:
		return schema.Hint(fmt.Errorf("runs that were not taken: %d, %w by processes that work on them here", held,
			tracker.ErrLocked), "gather again when they are done")
	case len(g.Damaged) > 0 || len(g.Runs) > 0:
		return schema.Hint(fmt.Errorf("%w: not all parts could be taken", cmdline.ErrDifference),
			"make the named parts readable, or remove them; the sweep makes their runs again")
	case g.Complete < g.summary.Runs:
		return schema.Hint(fmt.Errorf("%w: runs that are not complete yet: %d of %d", cmdline.ErrDifference,
			g.summary.Runs-g.Complete, g.summary.Runs),
			"rerun the command that began the sweep to continue them; --status shows their state")
	}
	return nil
}
