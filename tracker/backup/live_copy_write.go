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

// rowBatch is what one transaction read, to be written to the new file.
type rowBatch struct {
	ranges    []keyRange
	records   []rawRow
	sequences map[string]uint64 // of buckets
	size      int64
}

// keyRange has all rows of a bucket in a range of keys.
type keyRange struct {
	bucket    string
	low, high []byte // low ≤ key < high; nil is no bound
	rows      []rawRow
}

type rawRow struct{ key, value []byte }

func newRowBatch() *rowBatch { return &rowBatch{sequences: map[string]uint64{}} }

func (b *rowBatch) addRecord(key []byte, v pages.Value) error {
	stored, err := v.Bytes()
	b.records = append(b.records, rawRow{bytes.Clone(key), stored})
	b.size += v.Len()
	return err
}

// copiesRow reports whether a row is copied, and notes which records it names.
func (m *liveCopy) copiesRow(bucket string, key, value []byte) bool {
	switch bucket {
	case rows.BucketIterations, rows.BucketCheckpoints, rows.BucketEvaluations:
		m.noteReferences(bucket, key, value)
	case rows.BucketDigests:
		if len(value) != 8 {
			return true
		}
		if !m.allRecords && !m.damaged && len(key) >= 8 && !m.referenced.Has(key) {
			return false
		}
		m.wantRecord(binary.BigEndian.Uint64(value))
	}
	return true
}

// wantRecord notes a record that the new file's index names.
func (m *liveCopy) wantRecord(seq uint64) {
	m.wantedRecords.add(seq)
	if !m.copiedRecords.has(seq) && bytes.Compare(rows.NumberKey(seq), m.scanned) <= 0 {
		m.overdue = append(m.overdue, seq)
	}
}

// noteReferences notes which records a row names. A row that cannot be read may name any record.
func (m *liveCopy) noteReferences(bucket string, key, value []byte) {
	if m.allRecords || m.damaged {
		return
	}
	entries, err := tracker.NamedRecords(bucket, key, value)
	m.damaged = err != nil
	for _, e := range entries {
		m.referenced.Add(e.Name)
	}
}

// writeBatch writes what one transaction read.
func (m *liveCopy) writeBatch(b *rowBatch) error {
	return m.target.Update(func(tx *bbolt.Tx) error {
		for name, n := range b.sequences {
			to, err := m.targetBucket(tx, name)
			if err == nil && to.Sequence() != n {
				err = to.SetSequence(n)
			}
			if err != nil {
				return err
			}
		}
		for _, s := range b.ranges {
			if err := m.replaceRange(tx, s); err != nil {
				return err
			}
		}
		return m.putRecords(tx, b.records)
	})
}

// targetBucket returns a bucket of the new file, and creates it if necessary.
func (m *liveCopy) targetBucket(tx *bbolt.Tx, name string) (*bbolt.Bucket, error) {
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

func (m *liveCopy) putRows(tx *bbolt.Tx, name string, rows []rawRow) error {
	if len(rows) == 0 {
		return nil
	}
	to, err := m.targetBucket(tx, name)
	for _, r := range rows {
		if err == nil {
			err = to.Put(r.key, r.value)
		}
		m.copied += int64(len(r.key) + len(r.value))
	}
	return err
}

func (m *liveCopy) putRecords(tx *bbolt.Tx, records []rawRow) error {
	for _, r := range records {
		if len(r.key) == 8 {
			seq := binary.BigEndian.Uint64(r.key)
			if m.copiedRecords.has(seq) {
				continue
			}
			m.copiedRecords.add(seq)
		}
		m.records++
		m.stored += int64(len(r.value))
	}
	return m.putRows(tx, rows.BucketRecords, records)
}

// replaceRange makes a range of the new file's bucket equal to the source's.
func (m *liveCopy) replaceRange(tx *bbolt.Tx, s keyRange) error {
	to, err := m.targetBucket(tx, s.bucket)
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
		if err := m.deleteRecords(tx, places); err != nil {
			return err
		}
	}
	return m.putRows(tx, s.bucket, changed)
}

// deleteRecords deletes the records at places that the index no longer names.
func (m *liveCopy) deleteRecords(tx *bbolt.Tx, places [][]byte) error {
	records, err := m.targetBucket(tx, rows.BucketRecords)
	if err != nil {
		return err
	}
	for _, place := range places {
		if len(place) != 8 {
			continue
		}
		seq := binary.BigEndian.Uint64(place)
		if m.wantedRecords.remove(seq); !m.copiedRecords.has(seq) {
			continue
		}
		m.copiedRecords.remove(seq)
		m.records--
		m.stored -= int64(len(records.Get(place)))
		if err := records.Delete(place); err != nil {
			return err
		}
	}
	return nil
}

// bitset is a sparse set of numbers. Numbers that are close together take one bit each.
type bitset map[uint64]*[bitsetWords]uint64

const bitsetWords = 64

func (s bitset) has(n uint64) bool {
	words := s[n/64/bitsetWords]
	return words != nil && words[n/64%bitsetWords]&(1<<(n%64)) != 0
}

func (s bitset) add(n uint64) {
	words := s[n/64/bitsetWords]
	if words == nil {
		words = new([bitsetWords]uint64)
		s[n/64/bitsetWords] = words
	}
	words[n/64%bitsetWords] |= 1 << (n % 64)
}

func (s bitset) remove(n uint64) {
	if words := s[n/64/bitsetWords]; words != nil {
		words[n/64%bitsetWords] &^= 1 << (n % 64)
	}
}
