package tracker_test

import (
	"context"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/merge"
)

func init() {
	tracker.MergeStores = func(ctx context.Context, from, to *tracker.Store) error {
		_, err := merge.Run(ctx, from, to, merge.Options{})
		return err
	}
}
