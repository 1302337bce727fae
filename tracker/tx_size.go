package tracker

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// targetHold is how long a transaction of a long operation should hold the store's
	// lock, while others wait.
	targetHold = 250 * time.Millisecond

	initialTxBytes = 3 << 20 // size of the first transaction
	minTxBytes     = 3 << 20 // less would hardly be faster, since opening and syncing take time
	maxTxBytes     = 6 << 20 // more would take too much memory, since bbolt keeps all pages that a transaction touches
	rowCost        = 4 << 10 // what a row counts besides its bytes, since it may touch its own page
)

// txSizer chooses the size of the transactions of a long operation, so that each holds the store's
// lock for about targetHold on this disk, judging by the previous ones. Sizes are in bytes, and
// each row counts rowCost in addition. The zero value is ready for use.
type txSizer struct{ size atomic.Int64 }

// limit returns the size of the next transaction.
func (p *txSizer) limit() int64 {
	if size := p.size.Load(); size > 0 {
		return size
	}
	return initialTxBytes
}

// update runs a writing transaction of about that size, and learns from how long it held the lock.
func (p *txSizer) update(ctx context.Context, s *Store, size int64, fn func(*Tx) error) error {
	var begun time.Time
	err := s.updateSized(ctx, 2*size, func(tx *Tx) error {
		begun = time.Now()
		return fn(tx)
	})
	if err == nil {
		p.learn(size, time.Since(begun))
	}
	return err
}

// learn adjusts the limit after a transaction. One that was much smaller than the limit does not
// raise it.
func (p *txSizer) learn(size int64, held time.Duration) {
	limit := p.limit()
	switch fits := int64(float64(size) * float64(targetHold) / float64(max(held, time.Millisecond))); {
	case held > targetHold:
		limit = min(limit, max(fits, size/4))
	case size > limit/2:
		limit = max(limit, min(fits, 2*size))
	}
	p.size.Store(min(max(limit, minTxBytes), maxTxBytes))
}

// UpdateEach calls change for every item, in order, in several short transactions. Each transaction
// is on the disk before the next one begins. An error, or a context that is done, undoes only the
// last one.
func UpdateEach[T any](ctx context.Context, s *Store, items []T, change func(*Tx, T) error) error {
	var p txSizer
	for len(items) > 0 {
		n := min(len(items), int(p.limit()/rowCost))
		err := p.update(ctx, s, int64(n)*rowCost, func(tx *Tx) error {
			for _, item := range items[:n] {
				if err := change(tx, item); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}
