package diff

import (
	"context"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// Between compares two runs, of one store or of two, like [CompareRuns]. The zero Limits are the
// defaults.
func Between(ctx context.Context, a, b *replay.Run, limits Limits) (Report, error) {
	x, err := OpenRecorded(ctx, a)
	if err != nil {
		return Report{}, err
	}
	y, err := OpenRecorded(ctx, b)
	if err != nil {
		return Report{}, err
	}
	return CompareRuns(ctx, x, y, limits)
}

// OpenRecorded opens a run like [Open], for several comparisons or audits of it.
func OpenRecorded(ctx context.Context, run *replay.Run) (*Run, error) {
	store := run.Store().Tracker()
	var r report.Run
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		r, err = report.Summarise(tx, run.Run)
		return err
	})
	if err != nil {
		return nil, err
	}
	return OpenRun(ctx, store, r)
}
