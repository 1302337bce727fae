package outlook

import (
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// tagCount counts the runs of a tag, and of each of its plans.
type tagCount struct {
	union   *runset.Union
	byPlan  []*runset.Union
	begun   []plannedRun // runs that exist
	byFound []int        // by plan: existing runs, without complete ones that have to be resumed
}

// ComputeProgress returns the progress of each tag. all lists every run of the store. tx is used to read their
// sessions; if it is nil, a run counts as worked on since it was created. The computing time depends on the number of
// existing runs and of specs and seed ranges in the plans, not on the number of planned runs.
func ComputeProgress(tx *tracker.Tx, tags []PlannedTag, all []report.Run, now time.Time) ([]Progress, error) {
	progress, counts := make([]Progress, len(tags)), make([]tagCount, len(tags))
	for i, t := range tags {
		var err error
		if counts[i], err = newTagCount(t); err != nil {
			return nil, err
		}
		progress[i] = newProgress(t, counts[i].union)
	}
	for i := range all {
		if len(tags) == 0 || len(all[i].Ancestors) > 0 {
			continue // plans have no forks
		}
		family, err := all[i].Spec.Family()
		if err != nil {
			return nil, err
		}
		for n := range counts {
			counts[n].add(&progress[n], &all[i], family)
		}
	}
	for i := range progress {
		p, c := &progress[i], &counts[i]
		p.Missing = p.Planned - p.Total()
		for n := range p.Plans {
			p.Plans[n].Missing = p.Plans[n].Runs - c.byFound[n]
		}
		p.Left = p.remainingSeconds(tx, c.begun, now)
	}
	return progress, nil
}

func newTagCount(t PlannedTag) (c tagCount, err error) {
	var plans []*runset.Plan
	for _, p := range t.Plans {
		plans = append(plans, p.Selected)
		one, err := runset.Unite(p.Selected)
		if err != nil {
			return c, err
		}
		c.byPlan = append(c.byPlan, one)
	}
	c.byFound = make([]int, len(plans))
	c.union, err = runset.Unite(plans...)
	return c, err
}

func newProgress(t PlannedTag, union *runset.Union) Progress {
	p := Progress{Tag: t.Tag, Study: t.Study, Planned: int(union.Len()), Target: union.Wanted()}
	for _, plan := range t.Plans {
		p.Plans = append(p.Plans, PlanProgress{
			Plan: plan.Plan, Runs: plan.Selected.Len(), Specs: len(plan.Selected.Specs),
			Iterations: plan.Selected.Iterations, Set: time.Unix(0, plan.Set).UTC(), Folder: plan.Folder,
		})
	}
	p.Set = p.Plans[0].Set
	return p
}

// add counts a run, if it is planned.
func (t *tagCount) add(p *Progress, r *report.Run, family schema.Digest) {
	target := t.union.Target(family, r.Seed)
	if target == 0 {
		return
	}
	run := plannedRun{r, target}
	p.count(run)
	t.begun = append(t.begun, run)
	for n, plan := range t.byPlan {
		if target := plan.Target(family, r.Seed); target > 0 && (r.Iterations >= target || r.Status != tracker.Complete) {
			t.byFound[n]++
		}
	}
}
