package report

import (
	"slices"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Snapshot is what a watcher sees at one moment: the runs of a selection, and how far
// the tags with a plan are that it touches, the newest plan first.
type Snapshot struct {
	Runs     []Run
	Progress []Progress
}

// TakeSnapshot reads it. Runs that are not selected are read where plans need them. Those
// that are elsewhere, on their way here, count for plans alone.
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
	s.Progress = ComputeProgress(plans, MergeFurthest(all, elsewhere), now)
	return s, nil
}

// MergeFurthest are some runs with others, of each that is in both the one that has come
// further, by default the first.
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

// choose selects as [Select] does, and returns all runs if it had to read them.
func (s *Snapshot) choose(tx *tracker.Tx, args []string) (all []Run, err error) {
	if slices.ContainsFunc(args, func(arg string) bool { return !IsTerm(arg) }) {
		s.Runs, err = Select(tx, args)
		return nil, err
	}
	filter, err := ParseFilter(args)
	if err != nil {
		return nil, err
	}
	if all, err = Select(tx, nil); err != nil {
		return nil, err
	}
	for _, r := range all {
		if filter.Match(r) {
			s.Runs = append(s.Runs, r)
		}
	}
	return all, nil
}

// SelectPlans are the plans of tags that a selection asks for by name, that selected runs
// have, or all where everything is selected.
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
	filter, _ := ParseFilter(args) // references ask for no tag
	return slices.DeleteFunc(slices.Clone(plans), func(p tracker.TaggedPlan) bool { return !had[p.Tag] && !filter.SelectsTag(p.Tag) })
}

// AsksFor says whether the filter has tags in it, and lets that one through.
func (f Filter) SelectsTag(tag string) bool {
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

// CheckSelection says what is wrong with args whatever the store has.
func CheckSelection(args []string) error {
	terms := slices.Clone(args)
	terms = slices.DeleteFunc(terms, func(arg string) bool { return !IsTerm(arg) })
	if len(terms) > 0 && len(terms) < len(args) {
		return newMixedError()
	}
	_, err := ParseFilter(terms)
	return err
}
