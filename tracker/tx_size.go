package tracker

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/podtrack/podtrack/tracker/internal/portion"
)

// targetHold is the time for which a transaction of a long operation should hold the store's lock.
const targetHold = 250 * time.Millisecond

// RowCost is added to the bytes of a row in the size of a transaction, since a row may touch a page of its own.
const RowCost = 4 << 10

// A TxSizer chooses the size of the transactions of a long operation, so that each holds the store's lock for
// about targetHold on this disk, as measured on the previous ones. Sizes are in bytes, and each row counts
// RowCost in addition. The zero value is ready for use.
type TxSizer struct{ size atomic.Int64 }

// Limit returns the size of the next transaction.
func (t *TxSizer) Limit() int64 { return max(t.size.Load(), portion.MinTx) }

// Update runs a writing transaction of about that size, and adapts to the time for which it held the lock.
func (t *TxSizer) Update(ctx context.Context, s *Store, size int64, fn func(*Tx) error) error {
	var begun time.Time
	err := s.updateSized(ctx, 2*size, func(tx *Tx) error {
		begun = time.Now()
		return fn(tx)
	})
	if err == nil {
		t.learn(size, time.Since(begun))
	}
	return err
}

// learn adjusts the limit after a transaction. One that was much smaller than the limit does not
// raise it.
func (t *TxSizer) learn(size int64, held time.Duration) {
	limit := t.Limit()
	switch fits := int64(float64(size) * float64(targetHold) / float64(max(held, time.Millisecond))); {
	case held > targetHold:
		limit = min(limit, max(fits, size/4))
	case size > limit/2:
		limit = max(limit, min(fits, 2*size))
	}
	t.size.Store(min(max(limit, portion.MinTx), portion.MaxTx))
}

// A TxQueue collects changes, and applies them in order in several short transactions. Each transaction is on
// the disk before the next one begins. An error, or a context that is done, undoes only the last one.
type TxQueue struct {
	store   *Store
	sizer   TxSizer
	changes []func(*Tx) error
	size    int64 // of changes
}

// NewTxQueue returns a queue of changes of a store.
func NewTxQueue(s *Store) *TxQueue { return &TxQueue{store: s} }

// Add adds a change of that size, and applies the collected changes if they fill a transaction.
func (t *TxQueue) Add(ctx context.Context, size int64, change func(*Tx) error) error {
	t.changes, t.size = append(t.changes, change), t.size+size
	if t.size < t.sizer.Limit() {
		return nil
	}
	return t.Flush(ctx)
}

// Flush applies the remaining changes.
func (t *TxQueue) Flush(ctx context.Context) error {
	changes, size := t.changes, t.size
	t.changes, t.size = nil, 0
	if len(changes) == 0 {
		return nil
	}
	return t.sizer.Update(ctx, t.store, size, func(tx *Tx) error {
		for _, change := range changes {
			if err := change(tx); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// UpdateEach calls change for every item, in order, in several short transactions like those of a [TxQueue].
func UpdateEach[T any](ctx context.Context, s *Store, items []T, change func(*Tx, T) error) error {
	q := NewTxQueue(s)
	for _, item := range items {
		if err := q.Add(ctx, RowCost, func(tx *Tx) error { return change(tx, item) }); err != nil {
			return err
		}
	}
	return q.Flush(ctx)
}
