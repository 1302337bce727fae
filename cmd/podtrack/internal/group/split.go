package group

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// ErrBy is the error of fields by which runs cannot be grouped.
var ErrBy = errors.New("cannot group the runs")

// ParseBy parses a list of fields by which to split runs, without duplicates: those of [report.Run.Field].
func ParseBy(list string) (fields []string, err error) {
	keys := report.FilterKeys()
	for _, name := range strings.Split(list, ",") {
		switch {
		case report.IsMeasure(name):
			return nil, measureError(name)
		case name == "age": // an age changes before the filter is read
			return nil, schema.Hint(fmt.Errorf("%w by their age, which changes", ErrBy), "name the field created")
		}
		if !slices.Contains(keys, name) && !report.MayBeDeclared(name) {
			return nil, unknownFieldError(name, keys)
		}
		if !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	return fields, nil
}

func measureError(name string) error {
	return schema.Hint(fmt.Errorf("%w by the measure %q", ErrBy, name),
		"name a field in which their specs differ, such as kappa or reading")
}

func unknownFieldError(name string, keys []string) error {
	return schema.Hint(fmt.Errorf("%w by the unknown field %q", ErrBy, name), "%s",
		textfmt.DidYouMean(name, "fields", keys))
}

// SelectBy reads the given measures of the runs that the arguments name like [Select], split into groups with the
// same values of the fields. Groups are in order of their values, numbers as numbers, the first field first.
func SelectBy(ctx context.Context, from Reader, measures, fields []string, args ...string) ([]Group, error) {
	var s Split
	err := from.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
		s, err = SplitBy(tx, fields, args...)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return s.Read(ctx, from, measures)
}

// Split is a selection of runs, split into groups of which no record was read.
type Split struct {
	filter string
	fields []string
	runs   []report.Run
	aside  []Dependent
	parts  []part
}

// SplitBy finds the runs and the groups of [SelectBy].
func SplitBy(tx *tracker.Tx, fields []string, args ...string) (Split, error) {
	filter, runs, aside, err := selectRuns(tx, args)
	if err != nil {
		return Split{}, err
	}
	for _, field := range fields {
		if report.IsMeasureOf(runs, field) {
			return Split{}, measureError(field)
		}
		if !report.IsKeyOf(runs, field) {
			return Split{}, unknownFieldError(field, report.KeysOf(runs))
		}
		if !slices.ContainsFunc(runs, func(r report.Run) bool { _, ok := r.Field(field); return ok }) {
			return Split{}, schema.Hint(fmt.Errorf("%w: no run has the field %q", ErrBy, field),
				"the fields of their specs are %s", strings.Join(report.SpecFields(runs), ", "))
		}
	}
	if err := report.LoadColumns(tx, runs, fields); err != nil {
		return Split{}, err
	}
	for _, field := range fields {
		if err := report.CheckPlaces(runs, field); err != nil {
			return Split{}, err
		}
	}
	return Split{filter, fields, runs, aside, split(runs, fields)}, nil
}

// CheckSettings returns an error if groups by variant have runs of several settings: a mean over them says nothing.
func CheckSettings(by []string, groups []Group) error {
	variant := slices.Index(by, "variant")
	if variant < 0 || slices.Contains(by, "setting") {
		return nil
	}
	for _, g := range groups {
		var settings []string
		for _, r := range g.runs {
			if len(r.Places) == 1 && !slices.Contains(settings, r.Places[0].Setting.Name) {
				settings = append(settings, r.Places[0].Setting.Name)
			}
		}
		if len(settings) > 1 {
			slices.Sort(settings)
			return schema.Hint(fmt.Errorf("%w by variant: %s has runs of several settings", ErrBy, g.Values[variant]),
				"add setting=NAME to the filter, or group by setting,variant: the settings are %s",
				strings.Join(settings, ", "))
		}
	}
	return nil
}

// Groups returns how many groups there are.
func (s Split) Groups() int { return len(s.parts) }

// Read reads the given measures of the runs.
func (s Split) Read(ctx context.Context, from Reader, measures []string) (groups []Group, err error) {
	if err := checkMeasures(s.runs, measures); err != nil {
		return nil, err
	}
	selection := report.SplitSelection([]string{s.filter})
	for _, members := range s.parts {
		filter := report.FormatSplit(selection, s.fields, members.values, members.runs)
		g, err := read(ctx, from, measures, filter, members.runs)
		if err != nil {
			return nil, err
		}
		g.Values = members.values
		g.names = nameValues(s.fields, members.values, members.runs)
		for _, d := range s.aside {
			if slices.Contains(g.Runs, d.With) {
				g.SetAside = append(g.SetAside, d)
			}
		}
		groups = append(groups, g)
	}
	if !slices.ContainsFunc(groups, func(g Group) bool { return g.maxIterations() > 0 }) {
		return nil, emptyError(s.filter)
	}
	return groups, nil
}

// part is the runs with the same values of some fields.
type part struct {
	values []string
	runs   []report.Run
}

// split returns the parts of runs, in order of their values. A part's runs stay in their order.
func split(runs []report.Run, fields []string) []part {
	if len(fields) == 0 {
		return []part{{runs: runs}}
	}
	byValue := map[string][]report.Run{}
	for _, r := range runs {
		text, _ := r.Field(fields[0])
		byValue[text] = append(byValue[text], r)
	}
	values := report.TallyField(runs, fields[0]).Values
	slices.SortStableFunc(values, func(a, b report.Value) int { // in the order of the study
		place := func(v report.Value) int { return report.PlaceIndex(byValue[v.Value][0], fields[0]) }
		return cmp.Compare(place(a), place(b))
	})
	var parts []part
	for _, value := range values {
		for _, p := range split(byValue[value.Value], fields[1:]) {
			parts = append(parts, part{append([]string{value.Value}, p.values...), p.runs})
		}
	}
	return parts
}

// LastShared returns the last iteration that all groups have, apart from groups without iterations.
func LastShared(groups []Group) int {
	last := 0
	for _, g := range groups {
		if n := g.maxIterations(); n > 0 && (last == 0 || n < last) {
			last = n
		}
	}
	return last - 1
}

// Reach returns the largest number of iterations of a run of the groups.
func Reach(groups []Group) int {
	reach := 0
	for _, g := range groups {
		reach = max(reach, g.maxIterations())
	}
	return reach
}
