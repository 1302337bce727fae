package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/internal/process"
)

// lock takes the file's lock, unless that is left to bbolt.
func (s *Store) lock(ctx context.Context, f *os.File, mode filelock.Mode, wait *lockWait) error {
	err := filelock.Lock(ctx, f, mode, wait.isOver)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, filelock.ErrTimeout):
		return s.lockedError(f, nil)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return s.lockedError(f, err)
	}
	return fmt.Errorf("lock %s: %w", s.path, err)
}

// lockedError reports that the file's lock could not be taken in time or, if cause is not nil, because of cause.
func (s *Store) lockedError(f *os.File, cause error) error {
	if cause != nil {
		return schema.Hint(fmt.Errorf("store %s is %w by another process: %w", s.path, ErrLocked, cause), AdviceWait)
	}
	who := "another process"
	pid := filelock.Holder(f)
	if pid > 0 {
		who = fmt.Sprintf("process %d", pid)
	}
	err := fmt.Errorf("store %s is %w by %s for %v", s.path, ErrLocked, who, s.opts.Wait)
	if pid > 0 && process.IsSuspended(pid) {
		err = fmt.Errorf("store %s is %w by %s, which is suspended", s.path, ErrLocked, who)
		return schema.Hint(err, "continue it: kill -CONT %d", pid)
	}
	return schema.Hint(err, AdviceWait)
}

// lockWait measures how long a transaction has waited for the file's lock. Time during which another
// transaction of the same [Store] holds it does not count, so that a process does not time out because of
// itself; nor does time during which the store is compacted or repaired.
type lockWait struct {
	store *Store
	left  time.Duration
	last  time.Time
	told  bool // OnCopied was called
}

func (s *Store) newLockWait() *lockWait {
	return &lockWait{store: s, left: s.opts.Wait, last: time.Now()}
}

// isOver reports whether the wait took too long. copied is as in [filelock.Wait].
func (l *lockWait) isOver(copied bool) bool {
	now := time.Now()
	if !copied && l.store.locksHeld.Load() == 0 {
		l.left -= now.Sub(l.last)
	}
	l.last = now
	if copied && !l.told && l.store.opts.OnCopied != nil {
		l.store.opts.OnCopied(l.store.path)
	}
	l.told = l.told || copied
	return l.left <= 0
}
