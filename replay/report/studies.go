package report

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// placeKeys are the keys of a run's places in studies. Terms with them hold for one place together: study=a variant=b
// finds the runs that are variant b in study a.
var placeKeys = []string{"study", "setting", "variant"}

func isPlaceKey(key string) bool { return slices.Contains(placeKeys, key) }

// placeColumn returns the column of a part of a run's places in studies: of those that a filter chose, otherwise of
// all.
func placeColumn(name, means string, part func(tracker.Membership) string) column {
	return column{MeasureInfo: meaning(name, means), holds: textType,
		load: func(tx *tracker.Tx, r *Run) (any, error) {
			if err := r.readPlaces(tx); err != nil {
				return nil, err
			}
			parts := []string{}
			for _, p := range r.Places {
				if !slices.Contains(parts, part(p)) {
					parts = append(parts, part(p))
				}
			}
			return parts, nil
		}}
}

// readPlaces reads the run's places in the studies of the store.
func (r *Run) readPlaces(tx *tracker.Tx) (err error) {
	if r.Places == nil {
		r.Places, err = tx.MembershipsOf(r.Source)
		r.Places = append([]tracker.Membership{}, r.Places...)
	}
	return err
}

// placeTerms returns the terms on places in studies.
func (f Filter) placeTerms() (terms Filter) {
	for _, t := range f {
		if isPlaceKey(t.key) {
			terms = append(terms, t)
		}
	}
	return terms
}

// StudyOf returns the study that a selection names by one term, such as study=rooms. It reports whether it does.
func StudyOf(args []string) (name string, ok bool) {
	for _, arg := range SplitSelection(args) {
		t, err := parseTerm(arg, FilterKeys())
		if err != nil || t.key != "study" {
			continue
		}
		if ok || t.operator != equals || t.negated || len(t.values) != 1 || t.values[0].pattern != nil {
			return "", false
		}
		name, ok = t.values[0].text, true
	}
	return name, name != ""
}

// matchPlaces reports whether one of the run's places in studies meets all terms, which are on places, and leaves the
// run those that do. A run without a place has an empty one.
func (f Filter) matchPlaces(tx *tracker.Tx, r *Run) (bool, error) {
	if len(f) == 0 {
		return true, nil
	}
	if err := r.readPlaces(tx); err != nil {
		return false, err
	}
	fails := func(p tracker.Membership) bool {
		parts := map[string]string{"study": p.Study, "setting": p.Setting.Name, "variant": p.Variant.Name}
		return slices.ContainsFunc(f, func(t term) bool { return !t.matchesFact(parts[t.key]) })
	}
	if len(r.Places) == 0 {
		return !fails(tracker.Membership{}), nil
	}
	places := slices.DeleteFunc(slices.Clone(r.Places), fails)
	if len(places) > 0 {
		r.Places = places
	}
	return len(places) > 0, nil
}

// PlaceLabel returns what people read in place of a run's setting or variant, "" for another field.
func PlaceLabel(r Run, field string) string {
	switch {
	case len(r.Places) != 1:
		return ""
	case field == "setting":
		return r.Places[0].Setting.Text()
	case field == "variant":
		return r.Places[0].Variant.Text()
	}
	return ""
}

// PlaceIndex returns where a run's setting or variant stands in its study, 0 for another field.
func PlaceIndex(r Run, field string) int {
	switch {
	case len(r.Places) != 1:
		return 0
	case field == "setting":
		return r.Places[0].Cell.Setting
	case field == "variant":
		return r.Places[0].Cell.Variant
	}
	return 0
}

// CheckPlaces returns an error if a run has several places in studies, so that its setting or variant is not one.
func CheckPlaces(runs []Run, field string) error {
	if !isPlaceKey(field) {
		return nil
	}
	for _, r := range runs {
		if len(r.Places) > 1 {
			return schema.Hint(fmt.Errorf("%w: run %s has several places in studies, so that its %s is not one", ErrFilter,
				r.Label(), field), "name one study: study=%s", r.Places[0].Study)
		}
	}
	return nil
}
