package report

import (
	"context"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Find returns the runs that a selection names: by references, or by the terms of a filter such as
// "seed=0-9", "kappa>1" or "tag=final", all of which must hold; without an argument, all runs. Those of a
// filter come newest first. The command podtrack help filters describes them.
func Find(ctx context.Context, store *replay.Store, selection ...string) (runs []*replay.Run, err error) {
	err = store.Tracker().View(ctx, func(tx *tracker.Tx) error {
		ids, err := selectAs(tx, selection, func(r Run) schema.Digest { return r.ID })
		if err != nil {
			return err
		}
		runs = make([]*replay.Run, 0, len(ids))
		for _, id := range ids {
			source, err := tx.ReadRun(id)
			if err != nil {
				return err
			}
			run, err := store.ReadRun(tx, source)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		return nil
	})
	return runs, err
}
