package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// Revision names the state of the store that the transaction reads. It is another
// one after every commit, and where another file has taken this one's place.
func (t *Tx) Revision() (string, error) {
	info, err := t.file.Stat()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", t.store.path, err)
	}
	return fmt.Sprintf("%x-%x", t.pages.Txid, info.ModTime().UnixNano()), nil
}

// LeasedRuns are the runs that a process took, whether or not it is still there.
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
