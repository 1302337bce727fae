package tracker

import (
	"context"

	"github.com/podtrack/podtrack/internal/fault"
)

// View runs fn in a reading transaction. It needs no right to write to the file or its folder.
// Other readers continue, writers wait.
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error {
	return s.runTx(ctx, false, 0, fn)
}

// A Viewer runs functions in read transactions: [Store.Within] makes one, and [Tx.View] is one.
type Viewer func(func(*Tx) error) error

// Within returns a Viewer that opens and closes a transaction for each function, and opens none after ctx is done.
func (s *Store) Within(ctx context.Context) Viewer {
	return func(read func(*Tx) error) error { return s.View(ctx, read) }
}

// View runs fn in this transaction.
func (tx *Tx) View(fn func(*Tx) error) error { return fn(tx) }

// Update runs fn once in a transaction that excludes all others, and commits unless fn returns an
// error. When Update returns nil, the changes are on the disk. It never creates a file.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.runTx(ctx, true, 0, fn)
}

// updateSized runs fn like Update, for a transaction that adds about growth bytes. They are mapped
// from the beginning: otherwise bbolt maps the file anew whenever its size has doubled, and each
// time copies what the transaction has written.
func (s *Store) updateSized(ctx context.Context, growth int64, fn func(*Tx) error) error {
	return s.runTx(ctx, true, growth, fn)
}

// runTx opens the file, runs fn in a transaction and closes the file.
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
		return s.wrapOpenError(err)
	}
	if err := s.RecoverDamage(func() error { return fn(tx) }); err != nil || !write {
		return err
	}
	fault.At("update.change")
	if err := s.RecoverDamage(func() error { return s.commitTx(o.tx) }); err != nil {
		return commitError(s.path, err)
	}
	fault.At("update.commit")
	return nil
}
