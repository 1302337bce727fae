package tracker

import (
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// beginTx begins the transaction, and checks the store's format. It panics about
// damage of pages: see [Store.RecoverDamage].
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
	return &Tx{store: s, rows: r, file: o.file}, r.OpenBuckets()
}

// clone returns a transaction for another goroutine that sees what t sees.
func (t *Tx) clone() (tx *Tx, err error) {
	err = t.store.RecoverDamage(func() error {
		tx = &Tx{store: t.store, rows: t.rows.Clone()}
		return nil
	})
	return tx, err
}
