package report

import (
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// OfPlans divides the filter for plans: terms can be decided from a spec, onTags from a plan's tags, and undecided is
// the text of those that need a run. A term that excludes a tag is undecided, and so are several terms on tags if no
// planned tag passes all of them.
func (f Filter) OfPlans(planned []tracker.PlannedTag) (terms, onTags Filter, undecided []string) {
	byRow := f.rowTerms()
	for _, t := range f {
		switch {
		case (t.key == "tag" || t.key == "study") && !t.negated:
			onTags = append(onTags, t)
		case isPlaceKey(t.key) && !t.negated:
			terms = append(terms, t)
		case t.key != "run" && slices.ContainsFunc(byRow, func(r term) bool { return r.text == t.text }):
			terms = append(terms, t)
		default:
			undecided = append(undecided, t.text)
		}
	}
	if len(onTags) > 1 && !slices.ContainsFunc(planned, onTags.Allows) {
		for _, t := range onTags {
			undecided = append(undecided, t.text)
		}
		onTags = onTags[:1]
	}
	return terms, onTags, undecided
}

// Allows reports whether the terms on tags and studies match a run that has that tag alone, or is in that study alone.
// They then match a run with more of them too, since no term excludes one.
func (f Filter) Allows(p tracker.PlannedTag) bool {
	return !slices.ContainsFunc(f, func(t term) bool {
		return p.Study != (t.key == "study") || !t.matchesFact(p.Tag)
	})
}

// Narrow returns the part of a plan whose specs pass the terms. Terms on the seed are matched with each seed once, all
// others with each spec once. Terms on settings and variants exclude a plan that is no study.
func (f Filter) Narrow(p *runset.Plan) (*runset.Plan, error) {
	if len(f) == 0 {
		return p, nil
	}
	var onSeed, others Filter
	onPlaces := f.placeTerms()
	for _, t := range f {
		switch {
		case t.key == "seed":
			onSeed = append(onSeed, t)
		case !isPlaceKey(t.key):
			others = append(others, t)
		}
	}
	var failed error
	keepSpec := func(i int) bool {
		if len(onPlaces) > 0 && (p.Study == nil || onPlaces.excludesPlace(placeOf(p.Study, p.Study.Cells[i]))) {
			return false
		}
		run, err := describeRow(tracker.Run{Spec: p.Specs[i]})
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
