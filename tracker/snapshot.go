package tracker

import (
	"errors"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// maxStaleRetries is how often stale results about a store are computed again outside of the
// writing transaction, before they are computed within it.
const maxStaleRetries = 3

// errStale ends a transaction that finds that the store has changed since it was read.
var errStale = errors.New("the store has changed")

// snapshot identifies the state of a store that a transaction saw. The zero value matches no state.
type snapshot struct {
	file os.FileInfo
	txid uint64
}

func (t *Tx) takeSnapshot() (snapshot, error) {
	info, err := t.file.Stat()
	if err != nil {
		return snapshot{}, fmt.Errorf("read %s: %w", t.store.path, err)
	}
	return snapshot{info, t.rows.Pages.Txid}, nil
}

// matches reports whether the transaction sees that state.
func (s snapshot) matches(tx *Tx) (bool, error) {
	if s.file == nil || s.txid != tx.rows.Pages.Txid {
		return false, nil
	}
	now, err := tx.takeSnapshot()
	return err == nil && os.SameFile(s.file, now.file), err
}

// afterCommit returns the state after a commit of one's own.
func (s snapshot) afterCommit() snapshot { return snapshot{s.file, s.txid + 1} }

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
