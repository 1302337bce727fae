package tracker

import (
	"context"

	"github.com/podtrack/podtrack/tracker/internal/portion"
)

// RowCost is added to the bytes of a row in the size of a transaction, since a row may touch a page of its own.
const RowCost = 4 << 10

// UpdateSized runs fn like [Store.Update], in a transaction of about that size, in bytes and [RowCost] for each row.
// Long operations make transactions of portion.Tx. Space for what one adds is mapped at the beginning: otherwise bbolt
// maps the file again whenever its size has doubled, and each time copies what the transaction has written.
func (s *Store) UpdateSized(ctx context.Context, size int64, fn func(*Tx) error) error {
	return s.runTx(ctx, true, 2*size, fn)
}

// A TxQueue collects changes, and applies them in order in several short transactions. Each transaction is on
// the disk before the next one begins. An error, or a context that is done, undoes only the last one.
type TxQueue struct {
	store   *Store
	changes []func(*Tx) error
	size    int64 // of changes
}

// NewTxQueue returns a queue of changes of a store.
func NewTxQueue(s *Store) *TxQueue { return &TxQueue{store: s} }

// Add adds a change of that size, and applies the collected changes if they fill a transaction.
func (t *TxQueue) Add(ctx context.Context, size int64, change func(*Tx) error) error {
	t.changes, t.size = append(t.changes, change), t.size+size
	if t.size < portion.Tx {
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
	return t.store.UpdateSized(ctx, size, func(tx *Tx) error {
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
