package report

import (
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// PlannedTag is a tag with what its plans have of a selection.
type PlannedTag struct {
	Tag   string
	Plans []NamedPlan // newest first, at least one
}

// NamedPlan is a plan, or the part of it that is selected, with its name.
type NamedPlan struct {
	tracker.PlannedTag
	Selected *runset.Plan
}

// SelectPlanned returns, for each tag with plans, what a selection has of them, newest first: the runs whose spec
// passes the filter, whether they exist or not. Tags without such a run are left out. References select none, since
// they name runs that exist. Nor do terms on what only a run that exists has, such as its status: these are returned as
// undecided if there would be planned runs without them.
func SelectPlanned(tx *tracker.Tx, args []string) (tags []PlannedTag, undecided []string, err error) {
	args = SplitSelection(args)
	if slices.ContainsFunc(args, func(arg string) bool { return !IsTerm(arg) }) {
		return nil, nil, nil
	}
	filter, err := ParseFilter(args)
	if err == nil {
		err = filter.checkDeclared(tx)
	}
	if err != nil {
		return nil, nil, err
	}
	planned, err := tx.ReadPlannedTags()
	if err != nil || len(planned) == 0 {
		return nil, nil, err
	}
	terms, onTags, undecided := filter.ofPlans(planned)
	parts := map[schema.Digest]*runset.Plan{}
	for _, p := range planned {
		if !onTags.allows(p) {
			continue
		}
		part, known := parts[p.Plan]
		if !known {
			if part, err = tx.ReadPlan(p.Plan); err != nil {
				return nil, nil, err
			}
			if part, err = terms.narrow(part); err != nil {
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
	i := slices.IndexFunc(tags, func(t PlannedTag) bool { return t.Tag == p.Tag })
	if i < 0 {
		return append(tags, PlannedTag{p.Tag, []NamedPlan{p}})
	}
	tags[i].Plans = append(tags[i].Plans, p)
	return tags
}

// ofPlans returns the terms that a spec decides, and the text of those that need a run. Terms on tags are decided by
// the tags that plans have, but for those that exclude a tag, and several of which no plan's tag passes all.
func (f Filter) ofPlans(planned []tracker.PlannedTag) (terms, onTags Filter, undecided []string) {
	byRow := f.rowTerms()
	for _, t := range f {
		switch {
		case t.key == "tag" && !t.negated:
			onTags = append(onTags, t)
		case t.key != "run" && slices.ContainsFunc(byRow, func(r term) bool { return r.text == t.text }):
			terms = append(terms, t)
		default:
			undecided = append(undecided, t.text)
		}
	}
	if len(onTags) > 1 && !slices.ContainsFunc(planned, onTags.allows) {
		for _, t := range onTags {
			undecided = append(undecided, t.text)
		}
		onTags = onTags[:1]
	}
	return terms, onTags, undecided
}

// allows reports whether the terms on tags match a run with that tag alone. Then they match it with others, too.
func (f Filter) allows(p tracker.PlannedTag) bool {
	run := Run{Tags: []string{p.Tag}}
	return !slices.ContainsFunc(f, func(t term) bool { return !t.match(&run) })
}

// narrow returns the part of a plan whose specs pass the terms. Terms on the seed are matched with each seed once, all
// others with each spec once.
func (f Filter) narrow(p *runset.Plan) (*runset.Plan, error) {
	if len(f) == 0 {
		return p, nil
	}
	var onSeed, others Filter
	for _, t := range f {
		if t.key == "seed" {
			onSeed = append(onSeed, t)
		} else {
			others = append(others, t)
		}
	}
	var failed error
	keepSpec := func(spec schema.Spec) bool {
		run, err := describeRow(tracker.Run{Spec: spec})
		if err != nil {
			failed = err
		}
		return !slices.ContainsFunc(others, func(t term) bool { return !t.match(&run) })
	}
	part := p.Where(keepSpec, func(seed uint64) bool {
		text := strconv.FormatUint(seed, 10)
		return !slices.ContainsFunc(onSeed, func(t term) bool { return !t.matchesFact(text) })
	})
	return part, failed
}
