package rows

import (
	"context"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/pages"
)

const formatKey = "format"

// A formatRow is read before anything else. No later version may add a field; other facts about a store go into
// other rows of its bucket.
type formatRow struct {
	Format uint64 `cbor:"format"`
}

// Begin returns a transaction that reads pages or, if btx is not nil, reads and writes in btx. It has the
// format, but no buckets yet: see [Tx.OpenBuckets]. Any read of a reading transaction fails with the error of
// the context once that is done.
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
	return nil
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
	return Write(t, BucketPodtrack, []byte(formatKey), formatRow{Format: schema.FormatVersion})
}
