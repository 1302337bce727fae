//go:build !unix || aix || android || solaris

package tracker

import (
	"context"
	"errors"
	"os"
)

// locksFirst says whether lock takes the file's lock.
const locksFirst = false

// lock leaves locking to bbolt, which waits for Options.Wait. It cannot be
// interrupted, and the path is compared with the descriptor before the lock.
func (s *Store) lock(ctx context.Context, _ *os.File, _ bool, _ *lockWait) error {
	if ctx.Err() != nil {
		return s.lockedError(ctx.Err())
	}
	return nil
}

func unlock(*os.File) {}

func tryLock(*os.File) error { return errors.ErrUnsupported }

// SyncDir does nothing where a folder cannot be synced.
func SyncDir(string) error { return nil }
