package filelock

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A queue is a second lock that all processes take on the way to a file's lock. A writer holds it until it has
// the file's own lock, so that overlapping readers, which share that, cannot starve it. A process that has just
// released the file's lock must queue again.
//
// A process that copies the file closes the queue to other writers until it closes the file. They wait outside
// the queue: in it they would keep readers out for as long.
//
// It locks two bytes far beyond the end of the file with open file description locks, which are independent of
// the file's own flock: bbolt does not notice them. It is not used on network file systems, where the two kinds
// can conflict, nor on systems without such locks.
type queue struct {
	f    *os.File
	kind int16
}

// The bytes that are locked.
const (
	queueOffset = 1 << 62
	closeOffset = queueOffset + 1
)

func newQueue(f *os.File, write bool) *queue {
	if remote, err := NetworkFileSystem(f); err != nil || remote != "" {
		return &queue{}
	}
	if write {
		return &queue{f: f, kind: unix.F_WRLCK}
	}
	return &queue{f: f, kind: unix.F_RDLCK}
}

// close closes the queue to other writers. Processes already in it go first: the caller enters the queue next.
func (q *queue) close() error {
	err := q.set(closeOffset, unix.F_WRLCK)
	if isBusy(err) {
		return errCopied
	}
	return nil // taken, or not supported
}

func (q *queue) enter() error {
	err := q.set(queueOffset, q.kind)
	switch {
	case isBusy(err):
		return err
	case q.kind == unix.F_WRLCK && q.isClosed():
		q.leave()
		return errCopied
	}
	return nil // taken, or not supported
}

// isClosed reports whether another process has closed the queue.
func (q *queue) isClosed() bool {
	if q.f == nil {
		return false
	}
	lock := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart, Start: closeOffset, Len: 1}
	err := unix.FcntlFlock(q.f.Fd(), unix.F_OFD_GETLK, &lock)
	return err == nil && lock.Type != unix.F_UNLCK
}

func (q *queue) leave() { _ = q.set(queueOffset, unix.F_UNLCK) }

func (q *queue) set(offset int64, kind int16) error {
	if q.f == nil {
		return nil
	}
	return unix.FcntlFlock(q.f.Fd(), unix.F_OFD_SETLK,
		&unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: offset, Len: 1})
}
