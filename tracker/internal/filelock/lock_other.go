//go:build !unix || aix || android || solaris

package filelock

import (
	"context"
	"errors"
	"os"
)

// TakesLock reports whether [Lock] takes the file's lock. Only then can a process that waits for it tell that another
// file has replaced the one that it waits for.
const TakesLock = false

// Lock leaves locking to bbolt, which cannot be interrupted. The path is compared with the
// descriptor before the lock is taken.
func Lock(ctx context.Context, _ *os.File, _ Mode, _ Wait) error { return ctx.Err() }

// Unlock does nothing.
func Unlock(*os.File) {}

// TryLock takes the file's lock without waiting, or returns an error. Closing the descriptor releases it.
func TryLock(*os.File) error { return errors.ErrUnsupported }
