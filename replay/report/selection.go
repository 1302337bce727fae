package report

import (
	"errors"
	"fmt"
	"iter"
	"slices"
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

// newNoRunsErrorIn returns the [ErrNoRuns] of a selection in a store. It names the most similar name
// or tag, if there is one for a term.
func newNoRunsErrorIn(tx *tracker.Tx, selection []string) error {
	err := NewNoRunsError(selection)
	for _, arg := range selection {
		if near := similarTerm(tx, arg); near != "" {
			return schema.Advise(err, AdviceSimilar, near)
		}
	}
	return err
}

// similarTerm returns the term of a filter with the most similar name or tag that some run has, ""
// if the term asks for something else.
func similarTerm(tx *tracker.Tx, arg string) string {
	key, value, _ := strings.Cut(arg, "=")
	candidates := map[string]iter.Seq[string]{"name": tx.RunNames(), "tag": tx.Tags()}[key]
	if candidates == nil {
		return ""
	}
	near := Suggest(value, slices.Collect(candidates))
	if near == "" || near == value {
		return ""
	}
	return key + "=" + near
}

// SelectSome returns the runs that args select like [Select], and fails with [ErrNoRuns] if there
// are none.
func SelectSome(tx *tracker.Tx, args []string) ([]Run, error) {
	return SelectSomeAs(tx, args, func(r Run) Run { return r })
}

// SelectSomeAs selects runs like [SelectSome], for a caller that needs only a part of each run.
func SelectSomeAs[T any](tx *tracker.Tx, args []string, as func(Run) T) ([]T, error) {
	chosen, err := SelectAs(tx, args, as)
	if err == nil && len(chosen) == 0 {
		err = newNoRunsErrorIn(tx, args)
	}
	return chosen, err
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
	r, err := Resolve(tx, ref)
	if err != nil {
		return Run{}, err
	}
	return Summarise(tx, r)
}

// Resolve returns the run that a reference names. If there is none, the error names the run with
// the most similar name.
func Resolve(tx *tracker.Tx, ref string) (tracker.Run, error) {
	r, err := tx.Resolve(ref)
	if !errors.Is(err, tracker.ErrMissing) {
		return r, err
	}
	near := Suggest(ref, slices.Collect(tx.RunNames()))
	if key, operator, value := splitTerm(ref); near == "" && operator != "" {
		if key = Suggest(key, FilterKeys()); key != "" { // a term with a mistyped key
			near = key + operator + value
		}
	}
	if near != "" {
		err = schema.Advise(err, AdviceSimilar, near)
	}
	return r, err
}

func selectFiltered[T any](tx *tracker.Tx, args []string, as func(Run) T) ([]T, error) {
	filter, err := ParseFilter(args)
	if err != nil {
		return nil, err
	}
	return tracker.ScanNewest(tx, func(tx *tracker.Tx, r tracker.Run) (chosen T, wanted bool, err error) {
		run, err := Summarise(tx, r)
		if err == nil {
			wanted, err = filter.Match(tx, &run)
		}
		if err != nil || !wanted {
			return chosen, false, err
		}
		return as(run), true, nil
	})
}
