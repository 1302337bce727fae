//go:build unix && !aix && !android && !solaris

package filelock

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// TakesLock reports whether [Lock] takes the file's lock. Only then can a process that waits for it tell that another
// file has replaced the one that it waits for.
const TakesLock = true

// The intervals of polls are short because bbolt's own 50 ms starve writers. Of all waiting processes
// only one writer, or some readers, poll the lock itself: see queue_linux.go.
const (
	queuePoll = time.Millisecond
	lockPoll  = 100 * time.Microsecond
	copyPoll  = 20 * time.Millisecond // while the file is copied
)

// errCopied reports that another process copies the file.
var errCopied = errors.New("another process copies the file")

// Lock takes the lock that bbolt takes on the same descriptor, so that bbolt does not wait. It returns
// [ErrTimeout] when isOver reports that the wait has been too long, and the context's error if that ends first.
// A lock [ToCopy] lasts until the file is closed; meanwhile the same descriptor can be locked [Exclusive],
// which waits for the last reader. On systems without a queue, other writers may get the lock first.
func Lock(ctx context.Context, f *os.File, mode Mode, isOver Wait) error {
	queue := newQueue(f, mode == Exclusive)
	defer queue.leave()
	if mode == ToCopy {
		if err := poll(ctx, isOver, queuePoll, queue.close); err != nil {
			return err
		}
	}
	if err := poll(ctx, isOver, queuePoll, queue.enter); err != nil {
		return err
	}
	how := unix.LOCK_SH
	if mode == Exclusive {
		how = unix.LOCK_EX
	}
	return poll(ctx, isOver, lockPoll, func() error { return unix.Flock(int(f.Fd()), how|unix.LOCK_NB) })
}

// poll calls try until it takes the lock, the wait is over, or the context is done.
func poll(ctx context.Context, isOver Wait, every time.Duration, try func() error) error {
	for {
		err := try()
		interval := every
		switch copied := errors.Is(err, errCopied); {
		case err == nil:
			return nil
		case !copied && !isBusy(err):
			return err
		case isOver(copied):
			return ErrTimeout
		case copied:
			interval = copyPoll
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(interval):
		}
	}
}

func isBusy(err error) bool {
	return errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EINTR)
}

// Unlock releases the file's lock. Otherwise a mapping that outlives the descriptor would keep it.
func Unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// TryLock takes the file's lock without waiting, or returns an error. Closing the descriptor releases it.
func TryLock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
