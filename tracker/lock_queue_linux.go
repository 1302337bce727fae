package tracker

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lockQueue is what everybody goes through on the way to a store's lock. A writer closes
// it behind itself until it has the lock, so that readers, which share that, do
// not keep it out by coming one after the other; and who has just let go of the
// lock has to queue again like the others.
//
// It is a lock of one byte far beyond the end of the store's file, of a sort that
// goes with the open file and that does not meet the store's own: neither bbolt nor
// a podtrack without gates sees it. On network file systems the two can meet, so
// there is none there, nor where such locks are unknown.
type lockQueue struct {
	f    *os.File
	kind int16
}

const lockQueueOffset = 1 << 62

func (s *Store) newLockQueue(f *os.File, write bool) *lockQueue {
	if remote, err := networkFileSystem(f); err != nil || remote != "" {
		return &lockQueue{}
	}
	if write {
		return &lockQueue{f: f, kind: unix.F_WRLCK}
	}
	return &lockQueue{f: f, kind: unix.F_RDLCK}
}

func (g *lockQueue) enter() error {
	err := g.set(g.kind)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EINTR) {
		return err
	}
	return nil // had, or not to be had at all
}

func (g *lockQueue) leave() { _ = g.set(unix.F_UNLCK) }

func (g *lockQueue) set(kind int16) error {
	if g.f == nil {
		return nil
	}
	return unix.FcntlFlock(g.f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: lockQueueOffset, Len: 1})
}
