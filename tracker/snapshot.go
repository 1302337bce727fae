package tracker

import (
	"errors"
	"fmt"
	"os"
)

// maxStaleRetries is how often what was found out about a store is found out again because
// somebody wrote meanwhile, before that is done within the transaction that writes.
const maxStaleRetries = 3

// errStale ends a transaction that finds the store changed since it was looked at.
var errStale = errors.New("the store has changed")

// snapshot is the state of a store that a transaction saw. The zero value is of none.
type snapshot struct {
	file os.FileInfo
	txid uint64
}

func (t *Tx) takeSnapshot() (snapshot, error) {
	info, err := t.file.Stat()
	if err != nil {
		return snapshot{}, fmt.Errorf("read %s: %w", t.store.path, err)
	}
	return snapshot{info, t.pages.Txid}, nil
}

// matches reports whether the transaction sees that state.
func (s snapshot) matches(tx *Tx) (bool, error) {
	if s.file == nil || s.txid != tx.pages.Txid {
		return false, nil
	}
	now, err := tx.takeSnapshot()
	return err == nil && os.SameFile(s.file, now.file), err
}

// afterCommit is the state after a commit of one's own.
func (s snapshot) afterCommit() snapshot { return snapshot{s.file, s.txid + 1} }
