package rows

import (
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/pages"
)

const formatKey = "format"

// formatRow is read before anything else. No later version may add a field; other facts about a
// store go into other rows of its bucket.
type formatRow struct {
	Format uint64 `cbor:"format"`
}

// Begin returns a transaction that reads pages or, if btx is not nil, reads and writes in btx. It
// has the format, but no buckets yet: see [Tx.OpenBuckets]. A reading transaction ends with the error of the context
// once that is done, whatever loop it is read in.
func Begin(ctx context.Context, file *pages.File, btx *bbolt.Tx) (*Tx, error) {
	t := &Tx{Pages: file, Bolt: btx, ctx: ctx, buckets: make(map[string]Bucket, len(Buckets))}
	if err := t.openBucket(BucketPodtrack); err != nil {
		return nil, err
	}
	row, ok, err := Read[formatRow](t, BucketPodtrack, []byte(formatKey))
	switch {
	case err != nil:
		return nil, err
	case !ok || row.Format == 0:
		return nil, storeerr.Damaged("format version")
	}
	t.Format = row.Format
	return t, nil
}

// OpenBuckets opens the buckets of a store whose format is known.
func (t *Tx) OpenBuckets() error {
	for _, name := range Buckets[1:] {
		if err := t.openBucket(name); err != nil {
			return err
		}
	}
	for _, later := range optionalBuckets {
		if b := t.findBucket(later.name); b != nil {
			t.buckets[later.name] = b
		} else if t.Format >= later.format {
			return storeerr.Damaged("bucket %s", later.name)
		}
	}
	return nil
}

// RaiseFormat raises the store's format, if it is lower. Programs that do not know that format
// refuse the store from then on.
func (t *Tx) RaiseFormat(format uint64) error {
	if t.Format >= format {
		return nil
	}
	for _, later := range optionalBuckets {
		if t.buckets[later.name] != nil || format < later.format {
			continue
		}
		b, err := t.Bolt.CreateBucket([]byte(later.name))
		if err != nil {
			return fmt.Errorf("make bucket %s: %w", later.name, err)
		}
		t.buckets[later.name] = writeBucket{b}
	}
	t.Format = format
	return Write(t, BucketPodtrack, []byte(formatKey), formatRow{Format: format})
}

// Create makes the buckets of an empty store.
func Create(btx *bbolt.Tx) error {
	t := &Tx{Bolt: btx, buckets: map[string]Bucket{}}
	for _, name := range Buckets {
		b, err := btx.CreateBucket([]byte(name))
		if err != nil {
			return err
		}
		t.buckets[name] = writeBucket{b}
	}
	return Write(t, BucketPodtrack, []byte(formatKey), formatRow{Format: FormatWhole})
}
