//go:build unix && !aix && !android && !solaris

package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is short because bbolt's own 50 ms starve writers.
const lockPoll = time.Millisecond

// lock takes the same lock that bbolt will take on the same descriptor, which
// then is had already.
func (s *Store) lock(ctx context.Context, f *os.File, write bool, deadline time.Time) error {
	how := unix.LOCK_SH
	if write {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return fmt.Errorf("lock %s: %w", s.path, err)
		case !time.Now().Before(deadline):
			return s.lockedError(nil)
		}
		select {
		case <-ctx.Done():
			return s.lockedError(ctx.Err())
		case <-time.After(lockPoll):
		}
	}
}

// unlock is needed where a mapping outlives the descriptor: it keeps the lock.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// SyncDir makes the folder's entries durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
