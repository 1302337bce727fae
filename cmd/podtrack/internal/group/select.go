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

	ErrOneGroup = errors.New("only one group") // to compare
)

// A Choice names groups of runs: a filter for each, or one of all runs, which fields split. A filter may hold several
// terms, or references: see [report.SplitSelection].
type Choice struct {
	Filters  []string // of each group; of all runs if Split
	Split    bool
	By       []string // the fields that split, none for a single group
	Baseline string   // the values of the group that comes first, "" for the usual one
	Least    int      // how many groups must be there
}

// Chosen are the runs of chosen groups, of which no record was read.
type Chosen struct {
	Choice
	parts []runSplit // one, or one for each filter
}

// Find finds the runs of the groups.
func (c Choice) Find(tx *tracker.Tx) (Chosen, error) {
	found := Chosen{Choice: c}
	if c.Split {
		s, err := splitBy(tx, c.By, c.Filters)
		found.parts = []runSplit{s}
		return found, err
	}
	for i, filter := range c.Filters {
		s, err := splitBy(tx, nil, []string{filter})
		if err != nil {
			return found, fmt.Errorf("group %s: %w", Letter(i), err)
		}
		found.parts = append(found.parts, s)
	}
	return found, nil
}

// Groups returns how many groups there are.
func (c Chosen) Groups() (n int) {
	for _, s := range c.parts {
		n += len(s.parts)
	}
	return n
}

// Read reads the given measures of the groups, the baseline first. Groups of one filter are in order of their values,
// numbers as numbers, the first field first.
func (c Chosen) Read(ctx context.Context, from Reader, measures []string) (groups []Group, err error) {
	for i, s := range c.parts {
		own, err := s.read(ctx, from, measures)
		switch {
		case err != nil && !c.Split:
			return nil, fmt.Errorf("group %s: %w", Letter(i), err)
		case err != nil:
			return nil, err
		case !c.Split:
			own[0].Filter = s.filter
		}
		groups = append(groups, own...)
	}
	switch {
	case !c.Split:
	case len(groups) < c.Least:
		err = oneGroupError(groups[0], c.By)
	case c.Baseline != "":
		err = moveBaseline(groups, c.By, c.Baseline)
	case c.Least > 1:
		chooseBaseline(groups)
	}
	return groups, err
}

// oneGroupError returns the error of runs that are one group, while several are to be compared.
func oneGroupError(g Group, by []string) error {
	if len(g.SetAside) > 0 {
		return schema.Hint(fmt.Errorf("%w: all runs but forks have %s", ErrOneGroup, g.Terms(by)),
			"a fork shares iterations with its parent; compare them by name, or by a filter for each group")
	}
	return schema.Hint(fmt.Errorf("%w: all runs have %s", ErrOneGroup, g.Terms(by)),
		"podtrack show --group summarizes one group; choose more runs, or another field")
}

// Read finds the groups, and reads them like [Chosen.Read].
func (c Choice) Read(ctx context.Context, from Reader, measures []string) ([]Group, error) {
	var found Chosen
	err := from.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
		found, err = c.Find(tx)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return found.Read(ctx, from, measures)
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
