package tracker

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

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
