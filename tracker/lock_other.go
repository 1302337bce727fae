//go:build !unix || aix || android || solaris

package tracker

import (
	"context"
	"errors"
	"os"
)

// locksFirst reports whether [Store.lock] takes the file's lock.
const locksFirst = false

// lock leaves locking to bbolt, which waits for Options.Wait and cannot be interrupted. The path is
// compared with the descriptor before the lock is taken.
func (s *Store) lock(ctx context.Context, _ *os.File, _ bool, _ *lockWait) error {
	if ctx.Err() != nil {
		return s.lockedError(ctx.Err())
	}
	return nil
}

// unlock releases the file's lock, which a mapping that outlives the descriptor would keep.
func unlock(*os.File) {}

// tryLock takes the file's lock without waiting, or returns an error. Closing the descriptor
// releases it.
func tryLock(*os.File) error { return errors.ErrUnsupported }

// SyncDir does nothing on systems that cannot sync a folder.
func SyncDir(string) error { return nil }
