package backup

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A rowBatch has what one transaction read, to be written to the new file.
type rowBatch struct {
	ranges    []keyRange
	records   []rawRow
	sequences map[string]uint64 // of buckets
	size      int64
}

// A keyRange has all rows of a bucket in a range of keys.
type keyRange struct {
	bucket    string
	low, high []byte // low ≤ key < high; nil means no bound
	rows      []rawRow
}

type rawRow struct{ key, value []byte }

func newRowBatch() *rowBatch { return &rowBatch{sequences: map[string]uint64{}} }

func (r *rowBatch) addRecord(key []byte, v pages.Value) error {
	stored, err := v.Bytes()
	r.records = append(r.records, rawRow{bytes.Clone(key), stored})
	r.size += v.Len()
	return err
}

// recordNumber returns the number of a record by its key, which is its place in the index. valid is false for another
// key, as of a tombstone.
func recordNumber(key []byte) (seq uint64, valid bool) {
	if len(key) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(key), true
}

// copiesRow reports whether a row must be copied, and records the records that it names.
func (l *liveCopy) copiesRow(bucket string, key, value []byte) bool {
	switch bucket {
	case rows.BucketIterations, rows.BucketCheckpoints:
		l.noteReferences(bucket, key, value)
	case rows.BucketDigests:
		place, _ := rows.SplitEntry(value)
		seq, stored := recordNumber(place)
		if !stored {
			return true
		}
		if l.inUse && !l.damaged && len(key) >= 8 && !l.referenced[binary.BigEndian.Uint64(key)] {
			return false
		}
		l.wantedRecords.Add(seq)
		if !l.copiedRecords.Has(seq) && bytes.Compare(rows.NumberKey(seq), l.scanned) <= 0 {
			l.overdue = append(l.overdue, seq)
		}
	}
	return true
}

// noteReferences records the records that a row names. A damaged row may name any record.
func (l *liveCopy) noteReferences(bucket string, key, value []byte) {
	if !l.inUse || l.damaged {
		return
	}
	entries, err := tracker.NamedRecords(bucket, key, value)
	l.damaged = err != nil
	for _, e := range entries {
		l.referenced[binary.BigEndian.Uint64(e.Name[:])] = true
	}
}

func (l *liveCopy) writeBatch(b *rowBatch) error {
	return l.target.Update(func(tx *bbolt.Tx) error {
		for name, n := range b.sequences {
			to, err := l.targetBucket(tx, name)
			if err == nil && to.Sequence() != n {
				err = to.SetSequence(n)
			}
			if err != nil {
				return err
			}
		}
		for _, s := range b.ranges {
			if err := l.replaceRange(tx, s); err != nil {
				return err
			}
		}
		return l.putRecords(tx, b.records)
	})
}

func (l *liveCopy) targetBucket(tx *bbolt.Tx, name string) (*bbolt.Bucket, error) {
	b := tx.Bucket([]byte(name))
	if b == nil {
		var err error
		if b, err = tx.CreateBucket([]byte(name)); err != nil {
			return nil, fmt.Errorf("make bucket %s: %w", name, err)
		}
	}
	b.FillPercent = 1 // most keys are appended
	return b, nil
}

func (l *liveCopy) putRows(tx *bbolt.Tx, name string, rows []rawRow) error {
	if len(rows) == 0 {
		return nil
	}
	to, err := l.targetBucket(tx, name)
	for _, r := range rows {
		if err == nil {
			err = to.Put(r.key, r.value)
		}
		l.copied += int64(len(r.key) + len(r.value))
	}
	return err
}

func (l *liveCopy) putRecords(tx *bbolt.Tx, records []rawRow) error {
	for _, r := range records {
		if seq, valid := recordNumber(r.key); valid && !l.copiedRecords.Add(seq) {
			continue
		}
		l.records++
		l.stored += int64(len(r.value))
	}
	return l.putRows(tx, rows.BucketRecords, records)
}

// replaceRange makes a range of the new file's bucket equal to the source's.
func (l *liveCopy) replaceRange(tx *bbolt.Tx, s keyRange) error {
	to, err := l.targetBucket(tx, s.bucket)
	if err != nil {
		return err
	}
	var changed []rawRow
	var deleted, places [][]byte
	left := s.rows
	c := to.Cursor()
	for key, value := c.Seek(s.low); key != nil && (s.high == nil ||
		bytes.Compare(key, s.high) < 0); key, value = c.Next() {
		for len(left) > 0 && bytes.Compare(left[0].key, key) < 0 {
			changed, left = append(changed, left[0]), left[1:]
		}
		there := len(left) > 0 && bytes.Equal(left[0].key, key)
		switch {
		case there && bytes.Equal(left[0].value, value):
		case there && isSamePlace(left[0].value, value):
			changed = append(changed, left[0])
		case there:
			changed, places = append(changed, left[0]), append(places, bytes.Clone(value))
		default:
			deleted, places = append(deleted, bytes.Clone(key)), append(places, bytes.Clone(value))
		}
		if there {
			left = left[1:]
		}
	}
	changed = append(changed, left...)
	for _, key := range deleted {
		if err := to.Delete(key); err != nil {
			return err
		}
	}
	if s.bucket == rows.BucketDigests {
		if err := l.deleteRecords(tx, places); err != nil {
			return err
		}
	}
	return l.putRows(tx, s.bucket, changed)
}

// isSamePlace reports whether two entries of the index differ in the owner at most.
func isSamePlace(a, b []byte) bool {
	placeA, _ := rows.SplitEntry(a)
	placeB, _ := rows.SplitEntry(b)
	return bytes.Equal(placeA, placeB)
}

// deleteRecords deletes the records at places that the index no longer names.
func (l *liveCopy) deleteRecords(tx *bbolt.Tx, places [][]byte) error {
	records, err := l.targetBucket(tx, rows.BucketRecords)
	if err != nil {
		return err
	}
	for _, entry := range places {
		place, _ := rows.SplitEntry(entry)
		seq, stored := recordNumber(place)
		if !stored {
			continue
		}
		if l.wantedRecords.Remove(seq); !l.copiedRecords.Has(seq) {
			continue
		}
		l.copiedRecords.Remove(seq)
		l.records--
		l.stored -= int64(len(records.Get(place)))
		if err := records.Delete(place); err != nil {
			return err
		}
	}
	return nil
}
