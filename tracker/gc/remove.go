// Package gc is podtrack's own: it removes runs, with the records that only they name. The file does not shrink: new
// records reuse the space, and a compaction, in package backup, returns it.
//
// Which other rows name a record is determined while other processes read; short transactions then remove runs, unless
// the store has changed in between.
package gc

import (
	"context"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// Remove deletes runs, and the records that no other run names, in short transactions: see [tracker.Store.UpdateSized].
// If one fails, the earlier ones are not undone. It removes nothing if a living process works on one of the
// runs when it begins.
//
// Which of the records other runs name is determined in advance, while other processes read. If another process writes
// before the result is used, it is determined again, after some attempts within the removing transaction.
func Remove(ctx context.Context, s *tracker.Store, ids []schema.Digest) (removed RemoveReport, err error) {
	err = s.View(ctx, func(tx *tracker.Tx) error {
		for _, id := range ids {
			if err := checkRemovable(tx, id); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	for r := (&removal{store: s, remaining: rows.Dedupe(ids)}); err == nil && len(r.remaining) > 0; {
		var some RemoveReport
		some, err = r.step(ctx)
		removed.Runs += some.Runs
		removed.Records += some.Records
		removed.Stored += some.Stored
	}
	return removed, err
}

// RemoveReport counts what was removed. The file does not shrink, but new records reuse the space.
type RemoveReport struct {
	Runs    int   `json:"runs"`
	Records int   `json:"records"`
	Stored  int64 `json:"stored"` // bytes of the records as stored
}

func checkRemovable(tx *tracker.Tx, id schema.Digest) error {
	if !tx.Rows().HasRun(id) {
		return storeerr.Missing("run %s", id)
	}
	l, err := tx.ReadLease(id)
	if err != nil {
		return nil // a run with a damaged lease may be removed
	}
	return tx.CheckNotHeld(id, l)
}
