package tracker

import "time"

// lockWait measures how long a transaction has waited for the file's lock. Time during which
// another transaction of the same [Store] holds it does not count, so that a process does not give
// up because of itself.
type lockWait struct {
	store *Store
	left  time.Duration
	last  time.Time
}

func (s *Store) newLockWait() *lockWait {
	return &lockWait{store: s, left: s.opts.Wait, last: time.Now()}
}

// isOver reports whether the wait has been too long.
func (p *lockWait) isOver() bool {
	now := time.Now()
	if p.store.locksHeld.Load() == 0 {
		p.left -= now.Sub(p.last)
	}
	p.last = now
	return p.left <= 0
}
