package report

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
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
	if len(r.Places) == 0 {
		return !f.excludesPlace(tracker.Membership{}), nil
	}
	places := slices.DeleteFunc(slices.Clone(r.Places), f.excludesPlace)
	if len(places) > 0 {
		r.Places = places
	}
	return len(places) > 0, nil
}

// excludesPlace reports whether a place fails one of the terms, which are on places.
func (f Filter) excludesPlace(p tracker.Membership) bool {
	parts := map[string]string{"study": p.Study, "setting": p.Setting.Name, "variant": p.Variant.Name}
	return slices.ContainsFunc(f, func(t term) bool { return !t.matchesFact(parts[t.key]) })
}

// CellsOf returns the cells of a study that the terms of a selection on studies, settings and variants choose, and the
// other arguments of the selection. It returns an error for a setting or a variant that the study does not have.
func CellsOf(s *runset.Study, args []string) (cells []runset.Cell, others []string, err error) {
	var places Filter
	for _, arg := range SplitSelection(args) {
		t, err := parseTerm(arg, FilterKeys())
		if err != nil || !isPlaceKey(t.key) {
			others = append(others, arg)
			continue
		}
		if err := t.checkPlace(s); err != nil {
			return nil, nil, err
		}
		places = append(places, t)
	}
	for _, c := range s.Cells {
		place := tracker.Membership{Study: s.Name, Setting: s.Settings[c.Setting], Variant: s.Variants[c.Variant]}
		if !places.excludesPlace(place) {
			cells = append(cells, c)
		}
	}
	return cells, others, nil
}

// checkPlace returns an error if the term names a setting or a variant that the study does not have.
func (t term) checkPlace(s *runset.Study) error {
	known := map[string][]string{"setting": s.SettingNames(), "variant": s.VariantNames()}[t.key]
	for _, v := range t.values {
		if known != nil && t.operator == equals && v.pattern == nil && !slices.Contains(known, v.text) {
			return schema.Hint(fmt.Errorf("%w: no %s %q in study %q", ErrFilter, t.key, v.text, s.Name), schema.AdviceChoose,
				schema.Choice{Word: v.text, Kind: t.key + "s", Known: known})
		}
	}
	return nil
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

// placeParts returns the parts of all places of runs, which were loaded: a run may have several.
func placeParts(runs []Run, key string) (parts []string) {
	for _, r := range runs {
		of, _ := r.Columns[key].([]string)
		parts = append(parts, of...)
	}
	slices.Sort(parts)
	return slices.Compact(parts)
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
