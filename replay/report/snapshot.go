package report

import (
	"slices"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Snapshot is the state of a selection at one moment: its runs, and the progress of its tags with
// a plan, newest plan first.
type Snapshot struct {
	Runs     []Run
	Progress []Progress
}

// TakeSnapshot reads a snapshot. It reads runs outside the selection if plans need them. Runs in
// elsewhere, which are not gathered yet, count only for the plans.
func TakeSnapshot(tx *tracker.Tx, args []string, now time.Time, elsewhere ...Run) (s Snapshot, err error) {
	all, err := s.choose(tx, args)
	if err != nil {
		return s, err
	}
	plans, err := tx.ReadPlans()
	if err != nil {
		return s, err
	}
	if plans = SelectPlans(plans, s.Runs, args); len(plans) == 0 {
		return s, nil
	}
	if all == nil {
		if all, err = Select(tx, nil); err != nil {
			return s, err
		}
	}
	s.Progress = ComputeProgress(tx, plans, MergeFurthest(all, elsewhere), now)
	return s, nil
}

// MergeFurthest returns the runs of both lists; of a run in both the one with more iterations, by
// default the first.
func MergeFurthest(runs, others []Run) []Run {
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

// choose selects as [Select] does, and returns all runs if it read them.
func (s *Snapshot) choose(tx *tracker.Tx, args []string) (all []Run, err error) {
	args = SplitSelection(args)
	if slices.ContainsFunc(args, func(arg string) bool { return !IsTerm(arg) }) {
		s.Runs, err = Select(tx, args)
		return nil, err
	}
	filter, err := ParseFilter(args)
	if err == nil {
		err = filter.checkDeclared(tx)
	}
	if err != nil {
		return nil, err
	}
	if all, err = Select(tx, nil); err != nil {
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

// SelectPlans returns the plans of the tags that a selection names, or that its runs have; all of
// them if everything is selected.
func SelectPlans(plans []tracker.TaggedPlan, runs []Run, args []string) []tracker.TaggedPlan {
	if len(args) == 0 || len(plans) == 0 {
		return plans
	}
	had := map[string]bool{}
	for i := range runs {
		for _, tag := range runs[i].Tags {
			had[tag] = true
		}
	}
	filter, _ := ParseFilter(SplitSelection(args)) // references ask for no tag
	return slices.DeleteFunc(slices.Clone(plans), func(p tracker.TaggedPlan) bool {
		return !had[p.Tag] && !filter.selectsTag(p.Tag)
	})
}

// selectsTag reports whether the filter has tag terms, and matches this tag.
func (f Filter) selectsTag(tag string) bool {
	asks := false
	for _, t := range f {
		if t.key == "tag" {
			if asks = t.matchesFact(tag); !asks {
				return false
			}
		}
	}
	return asks
}

// CheckSelection returns the errors of args that do not depend on a store.
func CheckSelection(args []string) error {
	args = SplitSelection(args)
	terms := slices.Clone(args)
	terms = slices.DeleteFunc(terms, func(arg string) bool { return !IsTerm(arg) })
	if len(terms) > 0 && len(terms) < len(args) {
		return newMixedError()
	}
	_, err := ParseFilter(terms)
	return err
}
