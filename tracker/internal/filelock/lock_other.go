//go:build !unix || aix || android || solaris

package filelock

import (
	"context"
	"errors"
	"os"
)

// First reports whether [Lock] takes the file's lock.
const First = false

// CanReplace reports whether a process that waits for a file's lock can tell that another file has
// replaced it.
const CanReplace = false

// Lock leaves locking to bbolt, which cannot be interrupted. The path is compared with the
// descriptor before the lock is taken.
func Lock(ctx context.Context, _ *os.File, _ Mode, _ Wait) error { return ctx.Err() }

// Unlock does nothing.
func Unlock(*os.File) {}

// TryLock takes the file's lock without waiting, or returns an error. Closing the descriptor
// releases it.
func TryLock(*os.File) error { return errors.ErrUnsupported }
