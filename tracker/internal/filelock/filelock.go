// Package filelock locks files, so that processes on one machine take turns with a store.
//
// [Lock] waits in a queue (queue_linux.go) for the lock that bbolt takes, too. Where
// the system's locks differ from those, locking is left to bbolt (lock_other.go).
// network_fs_linux.go tells on which file systems locks may not work.
package filelock

import "errors"

// ErrTimeout reports that the wait for a lock has been too long.
var ErrTimeout = errors.New("the wait for the lock is over")

// A Mode is a way to lock a file.
type Mode int

// The modes of [Lock].
const (
	Shared    Mode = iota // for reading
	Exclusive             // for writing
	ToCopy                // like Shared, while the file is copied to one that takes its place: writers wait
)

// Wait decides how long to wait for a lock. It is called again and again, and reports whether that
// is long enough. copied is true while another process has the file locked [ToCopy], which can take
// as long as it takes.
type Wait func(copied bool) (over bool)
