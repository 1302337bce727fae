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

// findBucket returns a bucket, or nil if it does not exist.
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
		return writeBucket{b}
	}
	b.FillPercent = 1 // keys are sequences and always appended
	before := t.findPages(name)
	if before == nil {
		return nil
	}
	return checkedBucket{writeBucket{b}, before}
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
