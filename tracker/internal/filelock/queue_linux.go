package filelock

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// queue is a second lock through which all processes pass on the way to a file's lock. A
// writer holds it until it has the file's own lock, so that overlapping readers, which share that,
// cannot starve it. A process that has just released the file's lock must queue again.
//
// It locks one byte far beyond the end of the file with an open file description lock, which is
// independent of the file's own flock: neither bbolt nor an older podtrack notices it. On network
// file systems the two kinds can conflict, so it is not used there, nor where the system lacks such
// locks.
type queue struct {
	f    *os.File
	kind int16
}

const queueOffset = 1 << 62

func newQueue(f *os.File, write bool) *queue {
	if remote, err := NetworkFileSystem(f); err != nil || remote != "" {
		return &queue{}
	}
	if write {
		return &queue{f: f, kind: unix.F_WRLCK}
	}
	return &queue{f: f, kind: unix.F_RDLCK}
}

func (g *queue) enter() error {
	err := g.set(g.kind)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EINTR) {
		return err
	}
	return nil // taken, or not supported
}

func (g *queue) leave() { _ = g.set(unix.F_UNLCK) }

func (g *queue) set(kind int16) error {
	if g.f == nil {
		return nil
	}
	return unix.FcntlFlock(g.f.Fd(), unix.F_OFD_SETLK,
		&unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: queueOffset, Len: 1})
}
