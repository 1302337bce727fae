package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// beginTx begins the transaction, and checks that the store's format is known.
func (s *Store) beginTx(o *fileHandle) (*Tx, error) {
	tx := &Tx{store: s, pages: o.pages, file: o.file, buckets: make(map[string]bucket, len(buckets))}
	open := o.openReadBucket
	if o.write {
		o.txRequested = true
		btx, err := o.db.Begin(true)
		if err != nil {
			return nil, fmt.Errorf("begin in %s: %w", s.path, err)
		}
		o.tx, tx.btx, open = btx, btx, o.openWriteBucket
	}
	for i, name := range buckets {
		b, err := open(name)
		switch {
		case err != nil:
			return nil, err
		case b == nil:
			return nil, damagedError("bucket %s", name)
		}
		if tx.buckets[name] = b; i == 0 {
			if err := tx.checkFormat(); err != nil {
				return nil, err
			}
		}
	}
	return tx, tx.openOptionalBuckets(open)
}

// openOptionalBuckets opens the buckets that later formats add.
func (t *Tx) openOptionalBuckets(open func(string) (bucket, error)) error {
	for _, later := range optionalBuckets {
		b, err := open(later.name)
		switch {
		case err != nil:
			return err
		case b != nil:
			t.buckets[later.name] = b
		case t.format >= later.format:
			return damagedError("bucket %s", later.name)
		}
	}
	return nil
}

// openReadBucket opens a bucket for reading, or returns nil if there is none.
func (o *fileHandle) openReadBucket(name string) (bucket, error) {
	b, err := o.pages.OpenBucket(name)
	if err != nil {
		return nil, o.store.wrapPageError(err)
	}
	if b == nil {
		return nil, nil
	}
	return readBucket{b}, nil
}

// clone returns a transaction for another goroutine that sees what t sees.
func (t *Tx) clone() (*Tx, error) {
	tx := &Tx{store: t.store, format: t.format, pages: t.pages.Clone(),
		buckets: make(map[string]bucket, len(t.buckets))}
	for name, there := range t.buckets {
		if there == nil {
			continue
		}
		b, err := tx.pages.OpenBucket(name)
		if err != nil {
			return nil, t.store.wrapPageError(err)
		}
		tx.buckets[name] = readBucket{b}
	}
	return tx, nil
}

// openWriteBucket opens a bucket for writing, or returns nil if there is none.
func (o *fileHandle) openWriteBucket(name string) (bucket, error) {
	b := o.tx.Bucket([]byte(name))
	if b == nil {
		return nil, nil
	}
	if name != bucketRecords {
		return writeBucket{b}, nil
	}
	b.FillPercent = 1 // keys are sequences and always appended
	before, err := o.pages.OpenBucket(name)
	switch {
	case err != nil:
		return nil, o.store.wrapPageError(err)
	case before == nil:
		return nil, nil
	}
	return checkedBucket{writeBucket{b}, before}, nil
}

// checkFormat checks the store's format version. Its row is the only one that no later version may
// change.
func (t *Tx) checkFormat() error {
	row, ok, err := readRow[formatRow](t, bucketPodtrack, []byte(formatKey))
	switch {
	case err != nil:
		return err
	case !ok || row.Format == 0:
		return damagedError("format version")
	case row.Format > schema.FormatVersion:
		return schema.Hint(fmt.Errorf("open %s: %w: its format is %d, this program knows 1 to %d",
			t.store.path, ErrNewer, row.Format, schema.FormatVersion), "upgrade podtrack")
	}
	t.format = row.Format
	return nil
}

// raiseFormat raises the store's format, if it is lower. Programs that do not know that format
// refuse the store from then on.
func (t *Tx) raiseFormat(format uint64) error {
	if t.format >= format {
		return nil
	}
	for _, later := range optionalBuckets {
		if t.buckets[later.name] != nil || format < later.format {
			continue
		}
		b, err := t.btx.CreateBucket([]byte(later.name))
		if err != nil {
			return fmt.Errorf("make bucket %s: %w", later.name, err)
		}
		t.buckets[later.name] = writeBucket{b}
	}
	t.format = format
	return writeRow(t, bucketPodtrack, []byte(formatKey), formatRow{Format: format})
}
