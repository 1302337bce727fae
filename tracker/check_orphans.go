package tracker

import (
	"bytes"
	"context"

	"github.com/podtrack/podtrack/schema"
)

// checkOrphans looks for rows that belong to no run, and counts the records that no row names.
func (c *checker) checkOrphans(ctx context.Context) error {
	for _, bucket := range runBuckets {
		if err := c.scanBucket(ctx, bucket, c.checkOrphanRow); err != nil {
			return err
		}
	}
	if err := c.scanBucket(ctx, bucketOrder, c.checkReference); err != nil {
		return err
	}
	if err := c.scanBucket(ctx, bucketNames, c.checkReference); err != nil {
		return err
	}
	if err := c.scanBucket(ctx, bucketPodtrack, func(_ *Tx, bucket string, key, row []byte) ([]byte, error) {
		value, err := verifyRow(bucket, key, row)
		if err == nil {
			err = validateRow(bucket, key, value)
		}
		return nil, err
	}); err != nil {
		return err
	}
	if err := c.scanBucket(ctx, bucketRemoved, func(_ *Tx, bucket string, key, row []byte) ([]byte, error) {
		_, err := verifyRow(bucket, key, row)
		return nil, err
	}); err != nil {
		return err
	}
	return c.scanBucket(ctx, bucketDigests, c.countUnused)
}

// scanBucket calls look for the rows of a bucket in short transactions. look returns the key to
// continue from, or nil for the next one.
func (c *checker) scanBucket(
	ctx context.Context, bucket string,
	look func(tx *Tx, bucket string, key, row []byte) (next []byte, err error),
) error {
	from := []byte{}
	return c.store.runInShortTxs(ctx, func(tx *Tx) (more bool, err error) {
		why, err := c.catchDamage(func() error {
			if tx.buckets[bucket] == nil { // an optional bucket
				return nil
			}
			key, row := tx.buckets[bucket].Cursor().Seek(from)
			if more = key != nil; !more {
				return nil
			}
			from = append(bytes.Clone(key), 0) // set now in case look panics
			next, err := look(tx, bucket, key, row)
			if next != nil {
				from = next
			}
			return err
		})
		if why != "" && more { // otherwise the structure is damaged, which was reported
			c.addDamage(Damage{Kind: bucket, Why: why})
		}
		return more, err
	})
}

// checkOrphanRow checks a row whose key begins with a run's ID. It skips the rows of existing runs,
// which are checked with the run.
func (c *checker) checkOrphanRow(tx *Tx, bucket string, key, row []byte) ([]byte, error) {
	if len(key) >= len(schema.Digest{}) {
		id := schema.Digest(key[:len(schema.Digest{})])
		if tx.hasRun(id) {
			return append(id[:], bytes.Repeat([]byte{0xff}, maxLabel+1)...), nil
		}
	}
	if _, err := verifyRow(bucket, key, row); err != nil {
		return nil, err
	}
	return nil, damagedError("row %x belongs to no run", key)
}

// checkReference checks a row that maps a number or a name to a run.
func (c *checker) checkReference(tx *Tx, bucket string, key, row []byte) ([]byte, error) {
	id, err := decodeRef(bucket, key, row)
	if err != nil {
		return nil, err
	}
	if !tx.hasRun(id) {
		return nil, damagedError("%s refers to run %s, which does not exist", printableKey(key), id)
	}
	right := false
	if bucket == bucketOrder {
		run, err := tx.ReadRun(id)
		right = err != nil || bytes.Equal(key, numberKey(run.Number))
	} else {
		a, err := tx.ReadAnnotation(id)
		right = err != nil || a.Name == string(key)
	}
	if !right { // damage of the run itself was reported with the run
		return nil, damagedError("%s refers to run %s, which does not have it", printableKey(key), id)
	}
	return nil, nil
}
