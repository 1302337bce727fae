package tracker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/tracker/pages"
)

// checkStructure checks all pages but the leaves of records.
func (c *checker) checkStructure(ctx context.Context) error {
	return c.store.View(ctx, func(tx *Tx) error {
		if tx.pages.HasLostCommit() {
			c.addDamage(Damage{Kind: kindStructure,
				Why: "a meta page is invalid; if it was the newer one, the last commit is lost"})
		}
		c.lastSequence = sequenceOf(tx.buckets[bucketRecords])
		for _, name := range []string{bucketRecords, bucketOrder} {
			why, err := c.catchDamage(func() error { return checkSequence(name, tx.buckets[name]) })
			if err != nil {
				return err
			}
			if why != "" {
				c.addDamage(Damage{Kind: name, Why: why})
			}
		}
		_, err := tx.pages.Traverse(pages.TraverseOptions{Shallow: []string{bucketRecords},
			OnDamage: c.reportPageDamage})
		return err
	})
}

// reportPageDamage reports each damage of a page once. The branches of records are read with the
// rest of the file and again by [checker.checkRecordPages].
func (c *checker) reportPageDamage(bucket string, d *pages.Damage) error {
	why := d.Error()
	if bucket != "" {
		why = bucket + ": " + why
	}
	if c.reported[why] {
		return nil
	}
	c.reported[why] = true
	c.addDamage(Damage{Kind: kindStructure, Why: why})
	return nil
}

func sequenceOf(b bucket) uint64 {
	if r, ok := b.(readBucket); ok {
		return r.Sequence
	}
	return 0
}

// checkSequence compares a bucket's sequence with its last key. If the sequence were less, the next
// row would overwrite another.
func checkSequence(name string, b bucket) error {
	key, _ := b.Cursor().Last()
	if key == nil {
		return nil
	}
	if len(key) != 8 {
		return damagedRowError(name, key)
	}
	if last, given := binary.BigEndian.Uint64(key), sequenceOf(b); last > given {
		return damagedError("the next number would be %d, but there is a row %d", given+1, last)
	}
	return nil
}

var errSliceOver = errors.New("the time slice is over")

// checkRecordPages checks the pages of records.
func (c *checker) checkRecordPages(ctx context.Context) error {
	var from []byte
	return c.store.runInShortTxs(ctx, func(tx *Tx) (bool, error) {
		end := time.Now().Add(shortTxTime)
		_, err := tx.pages.Traverse(pages.TraverseOptions{Bucket: bucketRecords, From: from,
			OnDamage: c.reportPageDamage, Visit: func(e pages.Element) error {
				if len(e.Key) != 8 {
					c.addDamage(Damage{Kind: bucketRecords, Why: fmt.Sprintf("a key of %d bytes", len(e.Key))})
				}
				if time.Now().After(end) || ctx.Err() != nil {
					from = append(bytes.Clone(e.Key), 0)
					return errSliceOver
				}
				return nil
			}})
		if errors.Is(err, errSliceOver) {
			return true, nil
		}
		return false, err
	})
}
