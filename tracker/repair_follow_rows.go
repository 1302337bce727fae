package tracker

import (
	"bytes"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// takeRows takes the changed rows of all buckets.
func (f *follower) takeRows(changed changedRows) error {
	for _, bucket := range rows.RunBuckets {
		for _, key := range slices.Sorted(maps.Keys(changed[bucket])) {
			if len(key) >= len(schema.Digest{}) {
				id := schema.Digest([]byte(key[:len(schema.Digest{})]))
				f.keys[id] = append(f.keys[id], refKey{bucket, []byte(key)})
			}
		}
	}
	f.touched = slices.SortedFunc(maps.Keys(f.keys), func(a, b schema.Digest) int { return bytes.Compare(a[:], b[:]) })
	for _, id := range f.touched {
		if err := f.queuePut(0, func(tx *Tx) error { return tx.releaseName(id) }); err != nil {
			return err
		}
	}
	for _, id := range f.touched {
		if err := f.takeRun(id, changed[rows.BucketRuns][string(id[:])]); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(changed[rows.BucketPodtrack])) {
		if isPlanKey([]byte(key)) {
			if err := f.takeChange(rows.BucketPodtrack, []byte(key)); err != nil {
				return err
			}
		}
	}
	f.takeIndex(changed[rows.BucketDigests])
	sequence := f.from.Bucket([]byte(rows.BucketOrder)).Sequence()
	if err := f.queuePut(0, func(tx *Tx) error {
		return tx.raiseOrderSequence(tx.rows.Bolt.Bucket([]byte(rows.BucketOrder)).Sequence(), sequence)
	}); err != nil {
		return err
	}
	return f.flush()
}

// takeRun takes the changed rows of a run, or all of them if it was created or removed.
func (f *follower) takeRun(id schema.Digest, renewed bool) error {
	keys := f.keys[id]
	if renewed && f.isValidOrGone(rows.BucketRuns, id[:]) {
		delete(f.altered, id)
		f.report.Rows = slices.DeleteFunc(f.report.Rows, func(l LostRow) bool { return l.Run != nil && *l.Run == id })
		f.report.Gaps = slices.DeleteFunc(f.report.Gaps, func(g Gap) bool { return g.Run == id })
		if err := f.queuePut(0, func(tx *Tx) error { return tx.removeNumberedRun(id) }); err != nil {
			return err
		}
		keys = f.allRows(id)
	}
	for _, row := range keys {
		if err := f.takeChange(row.bucket, row.key); err != nil {
			return err
		}
	}
	return nil
}

// allRows returns the keys of all rows of a run in the snapshot.
func (f *follower) allRows(id schema.Digest) (keys []refKey) {
	for _, bucket := range rows.RunBuckets {
		b := f.from.Bucket([]byte(bucket))
		if b == nil {
			continue
		}
		c := b.Cursor()
		for key, _ := c.Seek(id[:]); bytes.HasPrefix(key, id[:]); key, _ = c.Next() {
			keys = append(keys, refKey{bucket, bytes.Clone(key)})
		}
	}
	return keys
}

// readChange returns the snapshot's row, which is nil if there is none, and its value if it is valid.
func (f *follower) readChange(bucket string, key []byte) (row, value []byte, err error) {
	if b := f.from.Bucket([]byte(bucket)); b != nil {
		row = b.Get(key)
	}
	if row == nil {
		return nil, nil, nil
	}
	if value, err = rows.Verify(bucket, key, row); err == nil {
		err = ValidateRow(bucket, key, value)
	}
	return row, value, err
}

func (f *follower) isValidOrGone(bucket string, key []byte) bool {
	_, _, err := f.readChange(bucket, key)
	return err == nil
}

// takeChange brings a row into the new store, or removes it there. If the row is damaged, the new
// store's stays.
func (f *follower) takeChange(bucket string, key []byte) error {
	ofRun := bucket != rows.BucketPodtrack
	row, value, err := f.readChange(bucket, key)
	switch {
	case err != nil:
		f.addLost(bucket, key, err)
		if ofRun {
			f.altered[schema.Digest(key[:len(schema.Digest{})])] = true
		}
		return nil
	case row == nil:
		return f.queuePut(len(key), func(tx *Tx) error { return tx.rows.Remove(bucket, key) })
	}
	f.noteRun(bucket, key, value)
	f.noteReferences(bucket, key, value)
	if ofRun {
		f.noteWanted(bucket, key, row)
	}
	value = bytes.Clone(value)
	return f.queuePut(len(key)+len(value), func(tx *Tx) error {
		switch {
		case bucket == rows.BucketRuns:
			run, err := rows.Decode[runRow](bucket, key, value)
			if err == nil {
				_, err = tx.putNumberedRun(schema.Digest(key), run)
			}
			return err
		case ofRun && !tx.rows.HasRun(schema.Digest(key[:len(schema.Digest{})])):
			return nil // the run's own row is lost
		}
		return tx.PutVerifiedRow(bucket, key, value)
	})
}

// reconcile completes the touched runs, as the salvage does for all runs.
func (f *follower) reconcile() error {
	for _, id := range f.touched {
		err := f.queuePut(0, func(tx *Tx) error {
			if !tx.rows.HasRun(id) {
				return nil
			}
			if f.altered[id] {
				if err := f.reconcileRun(tx, id); err != nil {
					return err
				}
			}
			return f.claimName(tx, id)
		})
		if err != nil {
			return err
		}
	}
	return f.flush()
}

func (f *follower) reconcileRun(tx *Tx, id schema.Digest) error {
	if err := f.dropGap(tx, id); err != nil {
		return err
	}
	if err := f.dropEvaluationsOf(tx, id[:]); err != nil {
		return err
	}
	return f.fillRowsOf(tx, id)
}

// removeNumberedRun removes all rows of a run but its name, if it exists.
func (t *Tx) removeNumberedRun(id schema.Digest) error {
	row, ok, err := rows.Read[runRow](t.rows, rows.BucketRuns, id[:])
	if !ok || err != nil {
		return err
	}
	return t.removeRows(id, []refKey{{rows.BucketOrder, rows.NumberKey(row.Number)}})
}
