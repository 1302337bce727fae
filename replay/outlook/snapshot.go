package outlook

import (
	"slices"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Snapshot is the state of a selection at one moment: its runs, and the progress of its tags with
// a plan, newest plan first.
type Snapshot struct {
	Runs      []report.Run
	Progress  []Progress
	Undecided []string // terms for which planned runs that do not exist are not counted: see [SelectPlanned]
}

// TakeSnapshot reads a snapshot. It reads runs outside the selection if plans need them. Runs in elsewhere, which have
// not been gathered yet, count only for the plans.
func TakeSnapshot(tx *tracker.Tx, args []string, now time.Time, elsewhere ...report.Run) (s Snapshot, err error) {
	all, err := s.choose(tx, args)
	if err != nil {
		return s, err
	}
	tags, undecided, err := SelectPlanned(tx, args)
	if s.Undecided = undecided; err != nil || len(tags) == 0 {
		return s, err
	}
	if all == nil {
		if all, err = report.Select(tx, nil); err != nil {
			return s, err
		}
	}
	s.Progress, err = ComputeProgress(tx, tags, MergeFurthest(all, elsewhere), now)
	return s, err
}

// MergeFurthest returns the runs of both lists. Of a run in both it returns the one with more iterations, or else the
// first.
func MergeFurthest(runs, others []report.Run) []report.Run {
	if len(others) == 0 {
		return runs
	}
	all, at := slices.Clone(runs), make(map[schema.Digest]int, len(runs)+len(others))
	for i := range all {
		at[all[i].ID] = i
	}
	for _, r := range others {
		i, there := at[r.ID]
		switch {
		case !there:
			at[r.ID] = len(all)
			all = append(all, r)
		case r.Iterations > all[i].Iterations:
			all[i] = r
		}
	}
	return all
}

// choose selects runs like [report.Select], and returns all runs if it had to read them.
func (s *Snapshot) choose(tx *tracker.Tx, args []string) (all []report.Run, err error) {
	args = report.SplitSelection(args)
	if slices.ContainsFunc(args, func(arg string) bool { return !report.IsTerm(arg) }) {
		s.Runs, err = report.Select(tx, args)
		return nil, err
	}
	filter, err := report.ParseFilter(args)
	if err == nil {
		err = filter.CheckDeclared(tx)
	}
	if err != nil {
		return nil, err
	}
	if all, err = report.Select(tx, nil); err != nil {
		return nil, err
	}
	for _, r := range all {
		wanted, err := filter.Match(tx, &r)
		if err != nil {
			return nil, err
		}
		if wanted {
			s.Runs = append(s.Runs, r)
		}
	}
	return all, nil
}

// CheckSelection returns the errors of args that do not depend on a store.
func CheckSelection(args []string) error {
	args = report.SplitSelection(args)
	terms := slices.Clone(args)
	terms = slices.DeleteFunc(terms, func(arg string) bool { return !report.IsTerm(arg) })
	if len(terms) > 0 && len(terms) < len(args) {
		return report.NewMixedError()
	}
	_, err := report.ParseFilter(terms)
	return err
}
