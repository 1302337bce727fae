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
)

// Sizes of the transactions of a [TxSizer].
const (
	MinTxBytes = 3 << 20 // less would hardly be faster, since opening and syncing take time
	MaxTxBytes = 6 << 20 // more would take too much memory, since bbolt keeps all pages that a transaction touches
	RowCost    = 4 << 10 // what a row counts besides its bytes, since it may touch its own page
)

// A TxSizer chooses the size of the transactions of a long operation, so that each holds the store's
// lock for about targetHold on this disk, judging by the previous ones. Sizes are in bytes, and
// each row counts RowCost in addition. The zero value is ready for use.
type TxSizer struct{ size atomic.Int64 }

// Limit returns the size of the next transaction.
func (p *TxSizer) Limit() int64 {
	if size := p.size.Load(); size > 0 {
		return size
	}
	return initialTxBytes
}

// Update runs a writing transaction of about that size, and learns from how long it held the lock.
func (p *TxSizer) Update(ctx context.Context, s *Store, size int64, fn func(*Tx) error) error {
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
func (p *TxSizer) learn(size int64, held time.Duration) {
	limit := p.Limit()
	switch fits := int64(float64(size) * float64(targetHold) / float64(max(held, time.Millisecond))); {
	case held > targetHold:
		limit = min(limit, max(fits, size/4))
	case size > limit/2:
		limit = max(limit, min(fits, 2*size))
	}
	p.size.Store(min(max(limit, MinTxBytes), MaxTxBytes))
}

// UpdateEach calls change for every item, in order, in several short transactions. Each transaction
// is on the disk before the next one begins. An error, or a context that is done, undoes only the
// last one.
func UpdateEach[T any](ctx context.Context, s *Store, items []T, change func(*Tx, T) error) error {
	var p TxSizer
	for len(items) > 0 {
		n := min(len(items), int(p.Limit()/RowCost))
		err := p.Update(ctx, s, int64(n)*RowCost, func(tx *Tx) error {
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
