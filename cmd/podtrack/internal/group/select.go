package group

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Errors in the arguments that select groups.
var (
	ErrFilter  = errors.New("an empty filter")
	ErrMeasure = errors.New("unknown measure")
)

// Select reads the given measures of the runs that the arguments name. An argument may hold several
// terms, or references: see [report.SplitSelection].
func Select(ctx context.Context, from Reader, measures []string, args ...string) (g Group, err error) {
	var filter string
	var runs []report.Run
	var aside []Dependent
	err = from.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
		filter, runs, aside, err = selectRuns(tx, args)
		return false, err
	})
	if err != nil {
		return Group{}, err
	}
	g, err = readGroup(ctx, from, measures, filter, runs)
	g.SetAside = aside
	return g, err
}

// selectRuns returns the runs that the arguments name, and the arguments as one filter. Of runs that a filter finds and
// that share iterations, all but one are set aside; runs that references name all stay.
func selectRuns(tx *tracker.Tx, args []string) (filter string, runs []report.Run, aside []Dependent, err error) {
	selection := report.SplitSelection(args)
	if strings.TrimSpace(strings.Join(selection, "")) == "" {
		return "", nil, nil, schema.Hint(ErrFilter, "name runs, or give a filter such as seed=0-29; env=* finds all")
	}
	runs, err = report.SelectSome(tx, selection)
	if err == nil && report.IsTerm(selection[0]) {
		runs, aside = setAside(runs)
	}
	return report.FormatSelection(selection), runs, aside, err
}

// A Dependent is a run that shares iterations with another one, as a fork does with its parent.
type Dependent struct {
	Member
	With Member `json:"with"`
}

// setAside separates the runs that share iterations with another one. Of those that share some, the one with the fewest
// ancestors stays, and of several the longest.
func setAside(runs []report.Run) (independent []report.Run, aside []Dependent) {
	staying := map[schema.Digest]report.Run{}
	for _, r := range runs {
		if r.Iterations == 0 {
			continue
		}
		other, found := staying[rootOf(r)]
		if !found || cmp.Or(cmp.Compare(len(r.Ancestors), len(other.Ancestors)),
			cmp.Compare(other.Iterations, r.Iterations), bytes.Compare(r.ID[:], other.ID[:])) < 0 {
			staying[rootOf(r)] = r
		}
	}
	for _, r := range runs {
		if other := staying[rootOf(r)]; r.Iterations == 0 || other.ID == r.ID {
			independent = append(independent, r)
		} else {
			aside = append(aside, Dependent{member(r), member(other)})
		}
	}
	return independent, aside
}

// rootOf returns the run that the first iteration of a run belongs to.
func rootOf(r report.Run) schema.Digest {
	if len(r.Ancestors) > 0 {
		return r.Ancestors[0].Run
	}
	return r.ID
}

// SelectAll reads a group for each argument, like [Select].
func SelectAll(ctx context.Context, from Reader, measures, filters []string) (groups []Group, err error) {
	for i, filter := range filters {
		g, err := Select(ctx, from, measures, filter)
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", Letter(i), err)
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// Names that stand for several measures.
const (
	allMeasures         = "all"         // that iterations record
	explorationMeasures = "exploration" // that are derived from their records
)

// MeasuresUsage returns the usage of a flag that takes a list of measures.
func MeasuresUsage() string {
	return fmt.Sprintf("%s; or %s; %s and %s stand for all of the first and second list; or those that the runs' "+
		"external stages declare",
		strings.Join(schema.MeasureNames(), ", "), strings.Join(explore.MeasureNames(), ", "),
		allMeasures, explorationMeasures)
}

// ParseMeasures parses a list of measures, without duplicates. In it, all stands for the recorded ones, and exploration
// for those of exploration. An unknown name may be an external measure, which only the runs define.
func ParseMeasures(list string) (measures []string, err error) {
	add := func(names ...string) {
		for _, name := range names {
			if !slices.Contains(measures, name) {
				measures = append(measures, name)
			}
		}
	}
	for _, name := range strings.Split(list, ",") {
		switch name = report.MeasureName(name); {
		case name == allMeasures:
			add(schema.MeasureNames()...)
		case name == explorationMeasures:
			add(explore.MeasureNames()...)
		case report.MayBeMeasure(name):
			add(name)
		default:
			return nil, unknownMeasureError(name, nil)
		}
	}
	return measures, nil
}

// checkMeasures returns an error for a measure that is neither one that all runs have, nor an external one of some of
// the runs.
func checkMeasures(runs []report.Run, measures []string) error {
	for _, name := range measures {
		if !report.IsMeasureOf(runs, name) {
			return unknownMeasureError(name, report.ExternalMeasureNames(runs))
		}
	}
	return nil
}

func unknownMeasureError(name string, external []string) error {
	return schema.Hint(fmt.Errorf("%w %q", ErrMeasure, name),
		"%s; %s takes all that are recorded, %s those of exploration",
		textfmt.DidYouMean(name, "measures", append(report.MeasureNames(), external...)), allMeasures,
		explorationMeasures)
}

// Advice of this package's errors.
const (
	AdviceFewerMeasures = "begin again; fewer measures take less time"
	AdviceOtherPairing  = "pair by a field whose values both groups have, or do not pair"
	AdviceResumeRuns    = "resume the runs"
)
