// Package rows is podtrack's own: it has the rows and records of a store, one level above the pages: the
// buckets, the form of keys, the checksum at the end of every row, and a transaction that reads and writes
// rows. What the rows mean for runs is up to package tracker.
//
// A reading transaction uses package pages and never bbolt; a writing one uses bbolt and sees its own changes.
// Both panic with a [StructureError] if the file's structure is damaged.
//
// FORMAT.md in package schema describes the bytes.
package rows

import (
	"context"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/pages"
)

// A Tx is a transaction. It is for one goroutine.
type Tx struct {
	Pages  *pages.File // before the transaction's changes
	Bolt   *bbolt.Tx   // nil in a reading transaction
	Format uint64      // the store's format version

	ctx     context.Context   // of a reading transaction
	buckets map[string]Bucket // by name
	places  Places            // of records that were looked up in advance or changed

	unindexed []schema.Digest // changed places that [Tx.WriteIndex] has to write
}

// Places has the index entries of records in a state of the store, nil for records that the store lacks: see
// [SplitEntry].
type Places map[schema.Digest][]byte

func (t *Tx) openBucket(name string) error {
	b := t.findBucket(name)
	if b == nil {
		return storeerr.Damaged("bucket %s", name)
	}
	t.buckets[name] = b
	return nil
}

func (t *Tx) findBucket(name string) Bucket {
	if t.Bolt == nil {
		if b := t.findPages(name); b != nil {
			return readBucket{b, t.ctx}
		}
		return nil
	}
	b := t.Bolt.Bucket([]byte(name))
	if b == nil {
		return nil
	}
	if name != BucketRecords {
		return writeBucket{Bucket: b}
	}
	b.FillPercent = 1 // keys are sequences and always appended
	before := t.findPages(name)
	if before == nil {
		return nil
	}
	return writeBucket{b, before}
}

func (t *Tx) findPages(name string) *pages.Bucket {
	b, err := t.Pages.OpenBucket(name)
	panicOn(err)
	return b
}

// Bucket returns a bucket.
func (t *Tx) Bucket(name string) Bucket { return t.buckets[name] }

// Clone returns a reading transaction for another goroutine that sees what t sees.
func (t *Tx) Clone() *Tx {
	other := &Tx{Pages: t.Pages.Clone(), Format: t.Format, ctx: t.ctx, buckets: make(map[string]Bucket, len(t.buckets))}
	for name := range t.buckets {
		other.buckets[name] = other.findBucket(name)
	}
	return other
}

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
		t.buckets[name] = writeBucket{Bucket: b}
	}
	return Write(t, BucketPodtrack, []byte(formatKey), formatRow{Format: schema.FormatVersion})
}
