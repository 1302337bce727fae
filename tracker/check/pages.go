package check

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// checkStructure checks all pages except the leaves of records.
func (c *checker) checkStructure(ctx context.Context) error {
	return c.store.View(ctx, func(tx *tracker.Tx) error {
		if tx.Rows().Pages.HasLostCommit() {
			c.addDamage(Damage{Kind: kindStructure,
				Why: "a meta page is invalid; if it was the newer one, the last commit is lost"})
		}
		info, err := tx.Stat()
		if err != nil {
			return err
		}
		if _, err := c.catchDamage(func() error {
			used, err := tx.Rows().Pages.UsedBytes()
			c.report.File, c.report.Free = info.Size(), info.Size()-used
			return err
		}); err != nil { // what is damaged is found below
			return err
		}
		c.lastSequence = tx.Rows().Bucket(rows.BucketRecords).Sequence()
		for _, name := range []string{rows.BucketRecords, rows.BucketOrder} {
			why, err := c.catchDamage(func() error { return checkSequence(name, tx.Rows().Bucket(name)) })
			if err != nil {
				return err
			}
			if why != nil {
				c.addDamage(Damage{Kind: name, Why: damageText(why)})
			}
		}
		return tx.Rows().Pages.Traverse(pages.TraverseOptions{Shallow: []string{rows.BucketRecords},
			OnDamage: c.reportPageDamage})
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

// checkSequence compares a bucket's sequence with its last key. If the sequence were lower, the next row would
// overwrite another.
func checkSequence(name string, b rows.Bucket) error {
	key, _ := b.Cursor().Last()
	if key == nil {
		return nil
	}
	if len(key) != 8 {
		return rows.DamagedError(name, key)
	}
	if last, given := binary.BigEndian.Uint64(key), b.Sequence(); last > given {
		return storeerr.Damaged("the next number would be %d, but row %d exists", given+1, last)
	}
	return nil
}

var errSliceOver = errors.New("the time slice is over")

func (c *checker) checkRecordPages(ctx context.Context) error {
	var from []byte
	return c.store.ViewInShortTxs(ctx, func(tx *tracker.Tx) (bool, error) {
		end := time.Now().Add(portion.ShortTx)
		err := tx.Rows().Pages.Traverse(pages.TraverseOptions{Bucket: rows.BucketRecords, From: from,
			OnDamage: c.reportPageDamage, Visit: func(e pages.Element) error {
				if len(e.Key) != 8 {
					c.addDamage(Damage{Kind: rows.BucketRecords, Why: fmt.Sprintf("a key of %d bytes", len(e.Key))})
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
