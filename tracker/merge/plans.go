package merge

import (
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// A PlanReport is the result of [CopyPlans].
type PlanReport struct {
	Added   int      `json:"plans"`         // plans that are new to a tag of the target
	Refused []string `json:"refused_plans"` // reasons for which plans were not copied
}

// CopyPlans copies the plans of the source's tags for which wanted returns true, or of all tags if wanted is
// nil, to another store: its tags then stand for the plans of both. A plan that cannot be read is reported; the
// others are copied.
func CopyPlans(
	ctx context.Context, from, to *tracker.Store, wanted func(tracker.PlannedTag) bool,
) (r PlanReport, err error) {
	var tags []tracker.PlannedTag
	err = from.View(ctx, func(tx *tracker.Tx) (err error) {
		tags, err = tx.ReadPlannedTags()
		return err
	})
	if errors.Is(err, tracker.ErrDamaged) {
		return PlanReport{Refused: []string{err.Error()}}, nil
	}
	if wanted != nil {
		tags = slices.DeleteFunc(tags, func(p tracker.PlannedTag) bool { return !wanted(p) })
	}
	for _, p := range tags {
		if err == nil {
			err = r.copyPlan(ctx, from, to, p)
		}
	}
	return r, err
}

func (p *PlanReport) copyPlan(ctx context.Context, from, to *tracker.Store, tag tracker.PlannedTag) error {
	var plan *runset.Plan
	err := from.View(ctx, func(tx *tracker.Tx) (err error) {
		plan, err = tx.ReadPlan(tag.Plan)
		return err
	})
	if errors.Is(err, tracker.ErrDamaged) || errors.Is(err, tracker.ErrMissing) {
		p.Refused = append(p.Refused, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	err = to.Update(ctx, func(tx *tracker.Tx) error {
		added, err := tx.MergePlan(tag, plan)
		if added {
			p.Added++
		}
		return err
	})
	if errors.Is(err, tracker.ErrStudyTaken) {
		p.Refused, err = append(p.Refused, err.Error()), nil
	}
	return err
}
