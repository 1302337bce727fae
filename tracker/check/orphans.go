package check

import (
	"bytes"
	"context"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// checkOrphans looks for rows that belong to no run, and counts the records that no row names.
func (c *checker) checkOrphans(ctx context.Context) error {
	for _, bucket := range rows.RunBuckets {
		if err := c.scanBucket(ctx, bucket, c.checkOrphanRow); err != nil {
			return err
		}
	}
	if err := c.scanBucket(ctx, rows.BucketOrder, c.checkReference); err != nil {
		return err
	}
	if err := c.scanBucket(ctx, rows.BucketNames, c.checkReference); err != nil {
		return err
	}
	if err := c.scanBucket(ctx, rows.BucketPodtrack, checkPodtrackRow); err != nil {
		return err
	}
	return c.scanBucket(ctx, rows.BucketDigests, c.countUnused)
}

// scanBucket calls look for the rows of a bucket in short transactions. look returns the key to
// continue from, or nil for the next one.
func (c *checker) scanBucket(
	ctx context.Context, bucket string,
	look func(tx *tracker.Tx, bucket string, key, row []byte) (next []byte, err error),
) error {
	from := []byte{}
	return c.store.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
		why, err := c.catchDamage(func() error {
			key, row := tx.Rows().Bucket(bucket).Cursor().Seek(from)
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
		if why != nil && more { // otherwise the structure is damaged, which was reported
			c.addDamage(Damage{Kind: bucket, Why: damageText(why)})
		}
		return more, err
	})
}

// checkOrphanRow checks a row whose key begins with a run's ID. It skips the rows of existing runs,
// which are checked with the run.
func (c *checker) checkOrphanRow(tx *tracker.Tx, bucket string, key, row []byte) ([]byte, error) {
	if len(key) >= len(schema.Digest{}) {
		id := schema.Digest(key[:len(schema.Digest{})])
		if tx.Rows().HasRun(id) {
			return append(id[:], bytes.Repeat([]byte{0xff}, tracker.MaxLabel+1)...), nil
		}
	}
	if _, err := rows.Verify(bucket, key, row); err != nil {
		return nil, err
	}
	return nil, storeerr.Damaged("row %x belongs to no run", key)
}

func checkPodtrackRow(_ *tracker.Tx, bucket string, key, row []byte) ([]byte, error) {
	value, err := rows.Verify(bucket, key, row)
	if err == nil {
		err = tracker.ValidateRow(bucket, key, value)
	}
	return nil, err
}

// checkReference checks a row that maps a number or a name to a run.
func (c *checker) checkReference(tx *tracker.Tx, bucket string, key, row []byte) ([]byte, error) {
	id, err := rows.DecodeRef(bucket, key, row)
	if err != nil {
		return nil, err
	}
	if !tx.Rows().HasRun(id) {
		return nil, storeerr.Damaged("%s refers to run %s, which does not exist", rows.PrintableKey(key), id)
	}
	right := false
	if bucket == rows.BucketOrder {
		run, err := tx.ReadRun(id)
		right = err != nil || bytes.Equal(key, rows.NumberKey(run.Number))
	} else {
		a, err := tx.ReadAnnotation(id)
		right = err != nil || a.Name == string(key)
	}
	if !right { // damage of the run itself was reported with the run
		return nil, storeerr.Damaged("%s refers to run %s, which does not have it", rows.PrintableKey(key), id)
	}
	return nil, nil
}
