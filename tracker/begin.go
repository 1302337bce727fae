package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// begin starts the transaction and checks that it is one of a podtrack store of
// a format that this program knows.
func (s *Store) begin(o *opened) (*Tx, error) {
	tx := &Tx{store: s, pages: o.pages, file: o.file, buckets: make(map[string]bucket, len(buckets))}
	open := o.reading
	if o.write {
		o.begun = true
		btx, err := o.db.Begin(true)
		if err != nil {
			return nil, fmt.Errorf("begin in %s: %w", s.path, err)
		}
		o.tx, tx.btx, open = btx, btx, o.writing
	}
	for i, name := range buckets {
		b, err := open(name)
		switch {
		case err != nil:
			return nil, err
		case b == nil:
			return nil, damaged("bucket %s", name)
		}
		if tx.buckets[name] = b; i == 0 {
			if err := tx.checkFormat(); err != nil {
				return nil, err
			}
		}
	}
	return tx, tx.openLater(open)
}

// openLater opens the buckets that the store's format has beside those of the first.
func (t *Tx) openLater(open func(string) (bucket, error)) error {
	for _, later := range laterBuckets {
		b, err := open(later.name)
		switch {
		case err != nil:
			return err
		case b != nil:
			t.buckets[later.name] = b
		case t.format >= later.format:
			return damaged("bucket %s", later.name)
		}
	}
	return nil
}

// reading opens a bucket of a transaction that reads, nil where there is none.
func (o *opened) reading(name string) (bucket, error) {
	b, err := o.pages.OpenBucket(name)
	if err != nil {
		return nil, o.store.ofStructure(err)
	}
	if b == nil {
		return nil, nil
	}
	return reading{b}, nil
}

// beside is a transaction for another goroutine that reads what t reads.
func (t *Tx) beside() (*Tx, error) {
	tx := &Tx{store: t.store, format: t.format, pages: t.pages.Clone(), buckets: make(map[string]bucket, len(t.buckets))}
	for name, there := range t.buckets {
		if there == nil {
			continue
		}
		b, err := tx.pages.OpenBucket(name)
		if err != nil {
			return nil, t.store.ofStructure(err)
		}
		tx.buckets[name] = reading{b}
	}
	return tx, nil
}

// writing opens a bucket of a transaction that writes, nil where there is none.
func (o *opened) writing(name string) (bucket, error) {
	b := o.tx.Bucket([]byte(name))
	if b == nil {
		return nil, nil
	}
	if name != bucketRecords {
		return writing{b}, nil
	}
	b.FillPercent = 1 // sequence keys are only ever appended
	before, err := o.pages.OpenBucket(name)
	switch {
	case err != nil:
		return nil, o.store.ofStructure(err)
	case before == nil:
		return nil, nil
	}
	return probing{writing{b}, before}, nil
}

// checkFormat reads the only row whose bytes no later version may change.
func (t *Tx) checkFormat() error {
	row, ok, err := read[formatRow](t, bucketPodtrack, []byte(formatKey))
	switch {
	case err != nil:
		return err
	case !ok || row.Format == 0:
		return damaged("format version")
	case row.Format > schema.FormatVersion:
		return schema.Hint(fmt.Errorf("open %s: %w: its format is %d, this program knows 1 to %d",
			t.store.path, ErrNewer, row.Format, schema.FormatVersion), "upgrade podtrack")
	}
	t.format = row.Format
	return nil
}

// raise makes the store one of that format, if it is of a lower one. Programs that
// know no such format refuse it from then on.
func (t *Tx) raise(format uint64) error {
	if t.format >= format {
		return nil
	}
	for _, later := range laterBuckets {
		if t.buckets[later.name] != nil || format < later.format {
			continue
		}
		b, err := t.btx.CreateBucket([]byte(later.name))
		if err != nil {
			return fmt.Errorf("make bucket %s: %w", later.name, err)
		}
		t.buckets[later.name] = writing{b}
	}
	t.format = format
	return write(t, bucketPodtrack, []byte(formatKey), formatRow{Format: format})
}
