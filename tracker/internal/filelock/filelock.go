// Package filelock locks files, so that processes on one machine take turns with a store.
//
// [Lock] takes the lock that bbolt takes, after a wait in a queue that is fair to writers (queue_linux.go). On
// systems whose locks differ from bbolt's, locking is left to bbolt (lock_other.go). network_fs_linux.go
// recognises file systems on which locks may not work.
package filelock

import "errors"

// ErrTimeout means that the wait for a lock took too long.
var ErrTimeout = errors.New("the wait for the lock took too long")

// A Mode is a way to lock a file.
type Mode int

// The modes of [Lock].
const (
	Shared    Mode = iota // for reading
	Exclusive             // for writing
	ToCopy                // like Shared, but writers wait: a copy of the file will replace it
)

// A Wait decides how long to wait for a lock. It is called repeatedly, and reports whether the wait has been long
// enough. copied is true while another process has the file locked [ToCopy], which can take arbitrarily long.
type Wait func(copied bool) (over bool)
