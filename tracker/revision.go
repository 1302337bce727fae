package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// Revision returns a text that identifies the state of the store. It changes with every commit, and
// when another file replaces the store's.
func (t *Tx) Revision() (string, error) {
	info, err := t.file.Stat()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", t.store.path, err)
	}
	return fmt.Sprintf("%x-%x", t.rows.Pages.Txid, info.ModTime().UnixNano()), nil
}

// LeasedRuns returns the runs with a lease, live or stale.
func (t *Tx) LeasedRuns() ([]schema.Digest, error) {
	var runs []schema.Digest
	for key := range t.rows.WithPrefix(rows.BucketLeases, nil) {
		var id schema.Digest
		if copy(id[:], key) != len(key) {
			return nil, rows.DamagedError(rows.BucketLeases, key)
		}
		runs = append(runs, id)
	}
	return runs, nil
}
