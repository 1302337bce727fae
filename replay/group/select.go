package group

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// What can be wrong with how groups are asked for.
var (
	ErrFilter  = errors.New("an empty filter")
	ErrMeasure = errors.New("unknown measure")
)

// Select reads the runs that the arguments name. An argument may hold several terms, or
// references: see [report.SplitSelection].
func Select(tx *tracker.Tx, args ...string) (Group, error) {
	filter, runs, err := selectRuns(tx, args)
	if err != nil {
		return Group{}, err
	}
	return Read(tx, filter, runs)
}

// selectRuns returns the runs that the arguments name, and the arguments as one filter.
func selectRuns(tx *tracker.Tx, args []string) (filter string, runs []report.Run, err error) {
	selection := report.SplitSelection(args)
	if strings.TrimSpace(strings.Join(selection, "")) == "" {
		return "", nil, schema.Hint(ErrFilter, "name runs, or give a filter such as seed=0-29; env=* finds all")
	}
	runs, err = report.SelectSome(tx, selection)
	return strings.Join(selection, " "), runs, err
}

// SelectAll reads a group for each argument, like [Select].
func SelectAll(tx *tracker.Tx, filters []string) (groups []Group, err error) {
	for i, filter := range filters {
		g, err := Select(tx, filter)
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", Letter(i), err)
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// Letter returns the name of the i-th group: a to z, then a1 to z1 and so on.
func Letter(i int) string {
	name := string(rune('a' + i%26))
	if i >= 26 {
		name += strconv.Itoa(i / 26)
	}
	return name
}

// ParseMeasures parses a list of measures, without duplicates, or all.
func ParseMeasures(list string) (measures []string, err error) {
	if list == "all" {
		return schema.MeasureNames(), nil
	}
	for _, name := range strings.Split(list, ",") {
		name = schema.MeasureName(name)
		if !slices.Contains(schema.MeasureNames(), name) {
			return nil, schema.Hint(fmt.Errorf("%w %q", ErrMeasure, name), "%s; all takes all of them",
				report.DidYouMean(name, "measures", schema.MeasureNames()))
		}
		if !slices.Contains(measures, name) {
			measures = append(measures, name)
		}
	}
	return measures, nil
}
