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

// runSplit is a selection of runs, split into parts by fields.
type runSplit struct {
	filter string
	fields []string
	runs   []report.Run
	aside  []Dependent
	parts  []part
}

// splitBy finds the runs that the arguments name together, and splits them.
func splitBy(tx *tracker.Tx, fields, args []string) (s runSplit, err error) {
	s.fields = fields
	if s.filter, s.runs, s.aside, err = selectRuns(tx, args); err != nil {
		return s, err
	}
	for _, field := range fields {
		if report.IsMeasureOf(s.runs, field) {
			return s, measureError(field)
		}
		if !report.IsKeyOf(s.runs, field) {
			return s, unknownFieldError(field, report.KeysOf(s.runs))
		}
		if !slices.ContainsFunc(s.runs, func(r report.Run) bool { _, ok := r.Field(field); return ok }) {
			return s, schema.Hint(fmt.Errorf("%w: no run has the field %q", ErrBy, field),
				"the fields of their specs are %s", strings.Join(report.SpecFields(s.runs), ", "))
		}
	}
	if err := report.LoadColumns(tx, s.runs, fields); err != nil {
		return s, err
	}
	for _, field := range fields {
		if err := report.CheckPlaces(s.runs, field); err != nil {
			return s, err
		}
	}
	s.parts = split(s.runs, fields)
	return s, nil
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

// read reads the given measures of the runs.
func (s runSplit) read(ctx context.Context, from Reader, measures []string) (groups []Group, err error) {
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
		g.Values, g.Names = members.values, nameValues(s.fields, members.values, members.runs)
		for _, d := range s.aside {
			if slices.Contains(g.Runs, d.With) {
				g.SetAside = append(g.SetAside, d)
			}
		}
		groups = append(groups, g)
	}
	if !slices.ContainsFunc(groups, func(g Group) bool { return g.maxIterations() > 0 }) {
		return nil, schema.Hint(fmt.Errorf("%w of %s", ErrEmpty, s.filter),
			"podtrack ls shows the runs, podtrack resume continues them")
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
func Reach(groups []Group) (reach int) {
	for _, g := range groups {
		reach = max(reach, g.maxIterations())
	}
	return reach
}
