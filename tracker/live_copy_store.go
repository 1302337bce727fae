package tracker

import (
	"context"
	"errors"
	"os"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/internal/fault"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// LiveCopyReport describes a copy that [Store.CopyLive] made.
type LiveCopyReport struct {
	Records int   // number in the copy
	Stored  int64 // bytes of the records as stored
}

// CopyLive copies the store, in the state of some commit, to the file at path, while others read and
// write. The copy has no leases. There must be no such file or, with resumed set, one that an
// earlier attempt left, whose structure is intact. progress is called with the bytes copied; it may
// be nil. The copy is complete after [Store.FinishCopy]. The error is an [ErrReplaced] if another
// file took the store's place.
func (s *Store) CopyLive(
	ctx context.Context, path string, resumed bool, progress func(done, total int64),
) (done LiveCopyReport, err error) {
	open := createUnsynced
	if resumed {
		open = reopenUnsynced
	}
	db, err := open(path)
	if err != nil {
		return done, err
	}
	m := newLiveCopy(s, db, liveCopyOptions{allRecords: true, emptyBuckets: []string{rows.BucketLeases},
		progress: progress})
	if resumed {
		err = m.resume()
	}
	if err == nil {
		err = m.runPasses(ctx)
	}
	fault.At("backup.followed")
	if err == nil {
		err = s.View(ctx, func(tx *Tx) error { return m.finish(ctx, tx) })
	}
	return LiveCopyReport{Records: m.records, Stored: m.stored}, errors.Join(err, m.close())
}

// FinishCopy gives a copy the permissions of the store, or only those of the owner if the owners
// differ, and syncs it. It returns the copy's size in bytes.
func (s *Store) FinishCopy(path string) (size int64, err error) {
	like, err := os.Stat(s.path)
	if err != nil {
		return 0, err
	}
	return finishFile(path, like, false)
}

// reopenUnsynced opens a file that [createUnsynced] made.
func reopenUnsynced(path string) (*bbolt.DB, error) { return openUnsynced(path, 0) }
