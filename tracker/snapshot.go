package tracker

import (
	"errors"
	"fmt"
	"os"
)

// maxChanged is how often what was found out about a store is found out again because
// somebody wrote meanwhile, before that is done within the transaction that writes.
const maxChanged = 3

// errChanged ends a transaction that finds the store changed since it was looked at.
var errChanged = errors.New("the store has changed")

// snapshot is the state of a store that a transaction saw. The zero value is of none.
type snapshot struct {
	file os.FileInfo
	txid uint64
}

func (t *Tx) snapshot() (snapshot, error) {
	info, err := t.file.Stat()
	if err != nil {
		return snapshot{}, fmt.Errorf("read %s: %w", t.store.path, err)
	}
	return snapshot{info, t.pages.Txid}, nil
}

// isOf reports whether the transaction sees that state.
func (s snapshot) isOf(tx *Tx) (bool, error) {
	if s.file == nil || s.txid != tx.pages.Txid {
		return false, nil
	}
	now, err := tx.snapshot()
	return err == nil && os.SameFile(s.file, now.file), err
}

// committed is the state after a commit of one's own.
func (s snapshot) committed() snapshot { return snapshot{s.file, s.txid + 1} }
