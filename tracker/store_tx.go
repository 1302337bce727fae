package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A Tx is a transaction. It is for one goroutine, and valid until the function that it was passed to returns.
type Tx struct {
	store *Store
	rows  *rows.Tx
	file  *os.File         // the store's file
	specs runset.SpecCache // cache of decoded specs
	// studies is read when a run's place in them is first asked for.
	studies *studyIndex
	usage   *usageIndex
}

// Rows returns the transaction on the rows and records, for the packages that work on a whole store.
func (t *Tx) Rows() *rows.Tx { return t.rows }

// View runs fn in a reading transaction. It needs no write permission on the file or its folder. Other readers
// continue, writers wait.
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error {
	return s.runTx(ctx, false, 0, fn)
}

// A Viewer runs functions in read transactions: [Store.Within] makes one, and [Tx.View] is one.
type Viewer func(func(*Tx) error) error

// Read returns what read returns in a transaction of view.
func Read[T any](view Viewer, read func(*Tx) (T, error)) (v T, err error) {
	err = view(func(tx *Tx) error {
		v, err = read(tx)
		return err
	})
	return v, err
}

// Within returns a Viewer that opens and closes a transaction for each function, and opens none after ctx is done.
func (s *Store) Within(ctx context.Context) Viewer {
	return func(read func(*Tx) error) error { return s.View(ctx, read) }
}

// View runs fn in this transaction.
func (t *Tx) View(fn func(*Tx) error) error { return fn(t) }

// Update runs fn once in a transaction that excludes all others, and commits unless fn returns an
// error. When Update returns nil, the changes are on the disk. It never creates a file.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.runTx(ctx, true, 0, fn)
}

func (s *Store) runTx(ctx context.Context, write bool, growth int64, fn func(*Tx) error) error {
	o, err := s.openForTx(ctx, write, growth)
	if err != nil {
		return err
	}
	defer o.close()
	if write {
		fault.At("update.open")
	}
	var tx *Tx
	err = s.RecoverDamage(func() (err error) {
		tx, err = s.beginTx(ctx, o)
		return err
	})
	if err != nil {
		return s.WrapOpenError(err)
	}
	err = s.RecoverDamage(func() error {
		if err := fn(tx); err != nil || !write {
			return err
		}
		return tx.rows.WriteIndex()
	})
	if err != nil || !write {
		return err
	}
	fault.At("update.change")
	err = s.RecoverDamage(func() error {
		if s.opts.BeforeCommit != nil {
			if err := s.opts.BeforeCommit(); err != nil {
				return err
			}
		}
		return o.tx.Commit()
	})
	if err != nil {
		return commitError(s.path, err)
	}
	fault.At("update.commit")
	return nil
}

// beginTx begins the transaction, and checks the store's format. It panics on damaged pages: see [Store.RecoverDamage].
func (s *Store) beginTx(ctx context.Context, o *fileHandle) (*Tx, error) {
	var btx *bbolt.Tx
	if o.write {
		o.txRequested = true
		var err error
		if btx, err = o.db.Begin(true); err != nil {
			return nil, fmt.Errorf("begin in %s: %w", s.path, err)
		}
		o.tx = btx
	}
	r, err := rows.Begin(ctx, o.pages, btx)
	if err != nil {
		return nil, err
	}
	if r.Format != schema.FormatVersion {
		return nil, schema.Hint(fmt.Errorf("open %s: %w: it has format %d, this program reads and writes %d",
			s.path, ErrFormat, r.Format, schema.FormatVersion), "use the podtrack that made the store")
	}
	return &Tx{store: s, rows: r, file: o.file, studies: new(studyIndex), usage: new(usageIndex)}, r.OpenBuckets()
}

// clone returns a transaction for another goroutine that sees what t sees.
func (t *Tx) clone() (tx *Tx, err error) {
	err = t.store.RecoverDamage(func() error {
		tx = &Tx{store: t.store, rows: t.rows.Clone(), studies: t.studies, usage: t.usage}
		return nil
	})
	return tx, err
}

// ViewInShortTxs calls step until it reports that no more is left to do, in short reading transactions between
// which other processes can write. An error or a panic of step ends it.
func (s *Store) ViewInShortTxs(ctx context.Context, step func(*Tx) (more bool, err error)) error {
	for more := true; more; {
		err := s.View(ctx, func(tx *Tx) (err error) {
			for end := time.Now().Add(portion.ShortTx); more && err == nil && ctx.Err() == nil && time.Now().Before(end); {
				more, err = step(tx)
			}
			return errors.Join(err, ctx.Err())
		})
		if err != nil {
			return err
		}
		if more {
			time.Sleep(portion.ShortTxPause)
		}
	}
	return nil
}

// ViewInShortTxs calls step like [Store.ViewInShortTxs], but always in this transaction.
func (t *Tx) ViewInShortTxs(_ context.Context, step func(*Tx) (more bool, err error)) (err error) {
	for more := true; more && err == nil; {
		more, err = step(t)
	}
	return err
}

// ViewEach calls look for every item, in order, in transactions like those of [Store.ViewInShortTxs].
func ViewEach[T any](ctx context.Context, s *Store, items []T, look func(*Tx, T) error) error {
	return s.ViewInShortTxs(ctx, func(tx *Tx) (more bool, err error) {
		if len(items) == 0 {
			return false, nil
		}
		item := items[0]
		items = items[1:]
		return true, look(tx, item)
	})
}

// Stat describes the store's file.
func (t *Tx) Stat() (os.FileInfo, error) { return t.file.Stat() }

// Revision returns a text that identifies the state of the store. It changes with every commit, and
// when another file replaces the store's.
func (t *Tx) Revision() (string, error) {
	info, err := t.file.Stat()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", t.store.path, err)
	}
	return fmt.Sprintf("%x-%x", t.rows.Pages.Txid, info.ModTime().UnixNano()), nil
}

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
