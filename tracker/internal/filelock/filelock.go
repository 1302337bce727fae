// Package filelock locks files, so that processes on one machine take turns with a store.
//
// [Lock] waits in a queue (queue_linux.go) for the lock that bbolt takes, too. Where
// the system's locks differ from those, locking is left to bbolt (lock_other.go).
// network_fs_linux.go tells on which file systems locks may not work.
package filelock

import "errors"

// ErrTimeout reports that the wait for a lock has been too long.
var ErrTimeout = errors.New("the wait for the lock is over")
