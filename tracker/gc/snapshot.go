package gc

import (
	"os"

	"github.com/podtrack/podtrack/tracker"
)

// A snapshot identifies the state of a store that a transaction saw. The zero value matches no state.
type snapshot struct {
	file os.FileInfo
	txid uint64
}

func takeSnapshot(tx *tracker.Tx) (snapshot, error) {
	info, err := tx.Stat()
	return snapshot{info, tx.Rows().Pages.Txid}, err
}

// matches reports whether the transaction sees that state.
func (s snapshot) matches(tx *tracker.Tx) (bool, error) {
	if s.file == nil || s.txid != tx.Rows().Pages.Txid {
		return false, nil
	}
	now, err := takeSnapshot(tx)
	return err == nil && os.SameFile(s.file, now.file), err
}

// afterCommit returns the state after a commit of this process.
func (s snapshot) afterCommit() snapshot { return snapshot{s.file, s.txid + 1} }
