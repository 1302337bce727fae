package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// Revision returns a text that identifies the state of the store. It changes with every commit, and
// when another file replaces the store's.
func (t *Tx) Revision() (string, error) {
	info, err := t.file.Stat()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", t.store.path, err)
	}
	return fmt.Sprintf("%x-%x", t.pages.Txid, info.ModTime().UnixNano()), nil
}

// LeasedRuns returns the runs with a lease, live or stale.
func (t *Tx) LeasedRuns() ([]schema.Digest, error) {
	var runs []schema.Digest
	for key := range t.rowsWithPrefix(bucketLeases, nil) {
		var id schema.Digest
		if copy(id[:], key) != len(key) {
			return nil, damagedRowError(bucketLeases, key)
		}
		runs = append(runs, id)
	}
	return runs, nil
}
