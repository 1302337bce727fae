package tracker

import "time"

// patience is how long a transaction goes on waiting for the file's lock. Time in which
// another transaction of the same [Store] has the lock does not count: a process does not
// give up because of itself, however short the wait.
type patience struct {
	store *Store
	left  time.Duration
	last  time.Time
}

func (s *Store) patience() *patience {
	return &patience{store: s, left: s.opts.Wait, last: time.Now()}
}

// over reports whether the wait has been too long.
func (p *patience) over() bool {
	now := time.Now()
	if p.store.held.Load() == 0 {
		p.left -= now.Sub(p.last)
	}
	p.last = now
	return p.left <= 0
}
