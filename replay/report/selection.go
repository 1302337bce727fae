package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrNoRuns is the error of a selection without runs.
var ErrNoRuns = errors.New("no run matches")

// NewNoRunsError returns the [ErrNoRuns] of a selection.
func NewNoRunsError(selection []string) error {
	return schema.Advise(fmt.Errorf("%w %s", ErrNoRuns, strings.Join(selection, " ")), AdviceSelectRuns)
}

// Select returns the runs that args select by references or by the terms of a filter, or all runs
// without args. Each run comes once; those found by a filter are ordered newest first.
func Select(tx *tracker.Tx, args []string) ([]Run, error) {
	return SelectAs(tx, args, func(r Run) Run { return r })
}

// SelectAs selects runs like [Select], for a caller that needs only a part of each run.
func SelectAs[T any](tx *tracker.Tx, args []string, as func(Run) T) (chosen []T, err error) {
	terms := 0
	for _, arg := range args {
		if IsTerm(arg) {
			terms++
		}
	}
	switch {
	case terms == len(args):
		return selectFiltered(tx, args, as)
	case terms > 0:
		return nil, newMixedError()
	}
	had := map[schema.Digest]bool{}
	for _, arg := range args {
		r, err := LoadRun(tx, arg)
		if err != nil {
			return nil, err
		}
		if !had[r.ID] {
			had[r.ID] = true
			chosen = append(chosen, as(r))
		}
	}
	return chosen, nil
}

func newMixedError() error {
	return schema.Hint(fmt.Errorf("%w: references and terms together", ErrFilter),
		"name runs, or give a filter such as seed=0-29, not both")
}

// LoadNewest returns at most limit runs from offset on, newest first, and the number of all. It
// reads no other run.
func LoadNewest(tx *tracker.Tx, offset, limit int) (total int, runs []Run, err error) {
	return tracker.ScanNewestFrom(tx, offset, limit, Summarise)
}

// LoadRun returns the run that a reference names.
func LoadRun(tx *tracker.Tx, ref string) (Run, error) {
	r, err := tx.Resolve(ref)
	if err != nil {
		return Run{}, err
	}
	return Summarise(tx, r)
}

func selectFiltered[T any](tx *tracker.Tx, args []string, as func(Run) T) ([]T, error) {
	filter, err := ParseFilter(args)
	if err != nil {
		return nil, err
	}
	return tracker.ScanNewest(tx, func(tx *tracker.Tx, r tracker.Run) (chosen T, wanted bool, err error) {
		run, err := Summarise(tx, r)
		if err != nil || !filter.Match(run) {
			return chosen, false, err
		}
		return as(run), true, nil
	})
}
