package outlook

import (
	"slices"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// PlannedTag is a tag with the selected part of its plans.
type PlannedTag struct {
	Tag   string
	Study bool        // Tag is the name of a study
	Plans []NamedPlan // newest first, at least one
}

// NamedPlan is the selected part of a plan, with the plan's name.
type NamedPlan struct {
	tracker.PlannedTag
	Selected *runset.Plan
}

// SelectPlanned returns, for each tag with plans, the planned runs whose spec passes the filter, whether they exist or
// not, newest plan first. It leaves out tags without such a run. References select no planned runs, since they name
// existing ones. Neither do terms on a property that only existing runs have, such as the status: such terms are
// returned as undecided if planned runs would be selected without them.
func SelectPlanned(tx *tracker.Tx, args []string) (tags []PlannedTag, undecided []string, err error) {
	args = report.SplitSelection(args)
	if slices.ContainsFunc(args, func(arg string) bool { return !report.IsTerm(arg) }) {
		return nil, nil, nil
	}
	filter, err := report.ParseFilter(args)
	if err == nil {
		err = filter.CheckDeclared(tx)
	}
	if err != nil {
		return nil, nil, err
	}
	planned, err := tx.ReadPlannedTags()
	if err != nil || len(planned) == 0 {
		return nil, nil, err
	}
	terms, onTags, undecided := filter.OfPlans(planned)
	parts := map[schema.Digest]*runset.Plan{}
	for _, p := range planned {
		if !onTags.Allows(p) {
			continue
		}
		part, known := parts[p.Plan]
		if !known {
			if part, err = tx.ReadPlan(p.Plan); err != nil {
				return nil, nil, err
			}
			if part, err = terms.Narrow(part); err != nil {
				return nil, nil, err
			}
			parts[p.Plan] = part
		}
		if part.Len() > 0 {
			tags = addPlanned(tags, NamedPlan{p, part})
		}
	}
	if len(undecided) > 0 && len(tags) > 0 {
		return nil, undecided, nil
	}
	return tags, nil, nil
}

func addPlanned(tags []PlannedTag, p NamedPlan) []PlannedTag {
	i := slices.IndexFunc(tags, func(t PlannedTag) bool { return t.Tag == p.Tag && t.Study == p.Study })
	if i < 0 {
		return append(tags, PlannedTag{p.Tag, p.Study, []NamedPlan{p}})
	}
	tags[i].Plans = append(tags[i].Plans, p)
	return tags
}
