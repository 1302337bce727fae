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

// locksFirst reports whether [Store.lock] takes the file's lock.
const locksFirst = true

// The intervals of polls are short because bbolt's own 50 ms starve writers. Of all waiting processes
// only one writer, or some readers, poll the lock itself: see lock_queue_linux.go.
const (
	queuePoll = time.Millisecond
	lockPoll  = 100 * time.Microsecond
)

// lock takes the same lock that bbolt will take on the same descriptor, which then succeeds at
// once.
func (s *Store) lock(ctx context.Context, f *os.File, write bool, wait *lockWait) error {
	gate := s.newLockQueue(f, write)
	defer gate.leave()
	if err := s.poll(ctx, wait, queuePoll, gate.enter); err != nil {
		return err
	}
	how := unix.LOCK_SH
	if write {
		how = unix.LOCK_EX
	}
	return s.poll(ctx, wait, lockPoll, func() error { return unix.Flock(int(f.Fd()), how|unix.LOCK_NB) })
}

// poll tries to take a lock until it succeeds, the wait is over, or the context is done.
func (s *Store) poll(ctx context.Context, wait *lockWait, every time.Duration, try func() error) error {
	for {
		err := try()
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EINTR):
			return fmt.Errorf("lock %s: %w", s.path, err)
		case wait.isOver():
			return s.lockedError(nil)
		}
		select {
		case <-ctx.Done():
			return s.lockedError(ctx.Err())
		case <-time.After(every):
		}
	}
}

// unlock releases the file's lock, which a mapping that outlives the descriptor would keep.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// tryLock takes the file's lock without waiting, or returns an error. Closing the descriptor
// releases it.
func tryLock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// SyncDir syncs a folder, so that its entries survive a crash.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
