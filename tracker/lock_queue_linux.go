package tracker

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lockQueue is a second lock through which all processes pass on the way to a store's lock. A
// writer holds it until it has the store's lock, so that overlapping readers, which share that,
// cannot starve it. A process that has just released the store's lock must queue again.
//
// It locks one byte far beyond the end of the file with an open file description lock, which is
// independent of the store's own flock: neither bbolt nor an older podtrack notices it. On network
// file systems the two kinds can conflict, so it is not used there, nor where the system lacks such
// locks.
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
	return nil // taken, or not supported
}

func (g *lockQueue) leave() { _ = g.set(unix.F_UNLCK) }

func (g *lockQueue) set(kind int16) error {
	if g.f == nil {
		return nil
	}
	return unix.FcntlFlock(g.f.Fd(), unix.F_OFD_SETLK,
		&unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: lockQueueOffset, Len: 1})
}
