package report

import (
	"github.com/podtrack/podtrack/replay/returns"
	"github.com/podtrack/podtrack/tracker"
)

// IsReturn reports whether a key is that of a measure of what the agent earned.
func IsReturn(key string) bool {
	_, _, found := returns.MeasureTitle(key)
	return found
}

// LoadReturns reads what the agent earned in a run.
func LoadReturns(tx *tracker.Tx, r Run) (*returns.Run, error) {
	return LoadReturnsWith(func(read func(*tracker.Tx) error) error { return read(tx) }, r)
}

// LoadReturnsWith reads the same as [LoadReturns], with transactions that view opens and closes.
func LoadReturnsWith(view func(func(*tracker.Tx) error) error, r Run) (*returns.Run, error) {
	x, err := returns.ReadWith(view, r.Source)
	return x, r.derivedError(err)
}

// loadReturns reads what the agent earned, unless it did so before.
func (r *Run) loadReturns(tx *tracker.Tx) (err error) {
	if r.Returns == nil && r.Iterations > 0 {
		r.Returns, err = LoadReturns(tx, *r)
	}
	return err
}
