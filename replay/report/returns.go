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

// loadReturns reads what the agent earned, unless it did so before.
func (r *Run) loadReturns(tx *tracker.Tx) (err error) {
	if r.Returns == nil && r.Iterations > 0 {
		r.Returns, err = returns.Read(tx.View, r.Source)
	}
	return err
}
