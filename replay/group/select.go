package group

import (
	"errors"
	"fmt"
	"slices"
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

// Select reads the runs that the arguments name. Each argument may hold several terms, or
// references, separated by blanks.
func Select(tx *tracker.Tx, args ...string) (Group, error) {
	selection := strings.Fields(strings.Join(args, " "))
	if len(selection) == 0 {
		return Group{}, schema.Hint(ErrFilter, "name runs, or give a filter such as seed=0-29; env=* finds all")
	}
	runs, err := report.SelectSome(tx, selection)
	if err != nil {
		return Group{}, err
	}
	return Read(tx, strings.Join(selection, " "), runs)
}

// SelectPair reads the two groups of a comparison like [Select].
func SelectPair(tx *tracker.Tx, ofA, ofB []string) (a, b Group, err error) {
	if a, err = Select(tx, ofA...); err != nil {
		return a, b, fmt.Errorf("group a: %w", err)
	}
	if b, err = Select(tx, ofB...); err != nil {
		return a, b, fmt.Errorf("group b: %w", err)
	}
	return a, b, nil
}

// ParseMeasures parses a list of measures, without duplicates, or all.
func ParseMeasures(list string) (measures []string, err error) {
	if list == "all" {
		return schema.MeasureNames(), nil
	}
	for _, name := range strings.Split(list, ",") {
		if !slices.Contains(schema.MeasureNames(), name) {
			return nil, schema.Hint(fmt.Errorf("%w %q", ErrMeasure, name), "the measures are %s; all takes all of them",
				strings.Join(schema.MeasureNames(), ", "))
		}
		if !slices.Contains(measures, name) {
			measures = append(measures, name)
		}
	}
	return measures, nil
}
