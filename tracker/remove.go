package tracker

import (
	"context"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// Remove deletes runs, and the records that no iteration or checkpoint of another run retains, in
// short transactions: see [TxSizer]. What one has removed stays removed if a later one fails. It
// removes nothing if a living process works on one of the runs when it begins.
//
// How other runs use the records is determined in advance, while others read. If another process
// writes before it is used, it is determined again, at last within the removing transaction.
func Remove(ctx context.Context, s *Store, ids []schema.Digest) (removed RemoveReport, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		for _, id := range ids {
			if err := tx.checkRemovable(id); err != nil {
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

// Remove deletes runs in this transaction, or none if a living process works on one of them.
func (t *Tx) Remove(ids ...schema.Digest) (RemoveReport, error) {
	for _, id := range ids {
		if err := t.checkRemovable(id); err != nil {
			return RemoveReport{}, err
		}
	}
	r := &removal{store: t.store, remaining: rows.Dedupe(ids)}
	if err := r.examine(t, len(r.remaining)); err != nil {
		return RemoveReport{}, err
	}
	return r.removeFirst(t, len(r.remaining))
}

// RemoveReport counts what was removed. The file does not shrink, but new records reuse the space.
type RemoveReport struct {
	Runs    int   `json:"runs"`
	Records int   `json:"records"`
	Stored  int64 `json:"stored"` // bytes of the records as stored
}

func (t *Tx) checkRemovable(id schema.Digest) error {
	if !t.rows.HasRun(id) {
		return storeerr.Missing("run %s", id)
	}
	l, err := t.ReadLease(id)
	if err != nil {
		return nil // a run with a damaged lease may be removed
	}
	return t.CheckNotHeld(id, l)
}

func addUnreferenced(names map[schema.Digest]recordUse, entries []schema.Entry) {
	for _, e := range entries {
		names[e.Name] = unreferenced
	}
}

// releaseRecord deletes a record that no row names, and prunes one that rows name but none retains.
func (t *Tx) releaseRecord(name schema.Digest, use recordUse, removed *RemoveReport) error {
	discard := t.rows.DeleteRecord
	switch use {
	case retained:
		return nil
	case referenced:
		discard = t.rows.PutTombstone
	}
	if t.HasRecord(name) {
		removed.Records++
	}
	stored, err := discard(name)
	removed.Stored += stored
	return err
}
