// Package groupview prints the measures of groups of runs: summarised, and compared with a baseline.
package groupview

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// groups are groups of runs to compare.
type groups struct {
	Command  string   // that compares them, for hints
	Filters  []string // one for each group; with By one for all runs
	By       *string  // the fields by which to split the runs, nil for none
	Baseline *string  // the values of the group to compare with, nil for the first
	Paired   *string  // the field by which to pair, nil for none
	Measures []string
}

// read reads the groups, the baseline first.
func (g groups) read(ctx context.Context, store *tracker.Store) (groups []group.Group, err error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	if g.By == nil {
		return group.SelectAll(ctx, store, g.Measures, g.Filters)
	}
	by, err := group.ParseBy(*g.By)
	if err != nil {
		return nil, err
	}
	if groups, err = group.SelectBy(ctx, store, g.Measures, by, g.Filters...); err == nil {
		err = group.CheckSettings(by, groups)
	}
	switch {
	case err != nil:
	case len(groups) < 2 && len(groups[0].SetAside) > 0:
		err = schema.Hint(fmt.Errorf("only one group: all runs but forks have %s", namedValues(by, groups[0].Values)),
			"a fork shares iterations with its parent; compare them by name, or by a filter for each group")
	case len(groups) < 2:
		err = schema.Hint(fmt.Errorf("only one group: all runs have %s", namedValues(by, groups[0].Values)),
			"podtrack show --group summarizes one group; choose more runs, or another field")
	case g.Baseline != nil:
		err = group.MoveBaseline(groups, by, *g.Baseline)
	default:
		group.ChooseBaseline(groups)
	}
	return groups, err
}

// check returns an error for arguments that do not go together.
func (g groups) check() error {
	switch {
	case g.Baseline != nil && g.By == nil:
		return schema.Hint(errors.New("--baseline without --by"), "the first of the groups is the baseline")
	case g.Paired != nil && *g.Paired == "":
		return schema.Hint(errors.New("--paired is empty"), "seed is the usual one: --paired seed")
	case g.By == nil && len(g.Filters) < 2:
		return schema.Hint(fmt.Errorf("compare takes two or more groups of runs, not %d", len(g.Filters)),
			"put each filter in quotes: %s 'seed=0-9 hide=0' 'seed=0-9 hide=3'; or split one: %s hide=3 --by kappa", g.Command,
			g.Command)
	}
	return nil
}
