package tracker

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/pages"
)

// turnRows is what a turn read, to be written to the new file.
type turnRows struct {
	spans     []span
	index     []row // entries that were passed over before
	records   []row
	sequences map[string]uint64 // of buckets
	size      int64
}

// span is all that there is of a bucket in a range of keys.
type span struct {
	bucket    string
	low, high []byte // from low up to before high, nil being no bound
	rows      []row
}

type row struct{ key, value []byte }

func newTurnRows() *turnRows { return &turnRows{sequences: map[string]uint64{}} }

func (b *turnRows) addRecord(key []byte, v pages.Value) error {
	stored, err := v.Bytes()
	b.records = append(b.records, row{bytes.Clone(key), stored})
	b.size += v.Len()
	return err
}

// keeps reports whether a row comes over, and notes what it says of records.
func (r *round) keeps(tx *Tx, bucket string, key, value []byte, b *turnRows) bool {
	switch bucket {
	case bucketIterations, bucketCheckpoints, bucketEvaluations:
		r.mark(tx, bucket, key, value, b)
	case bucketDigests:
		if len(value) != 8 {
			return true
		}
		if !r.everything && !r.damaged && len(key) >= 8 && !r.named.has(key) {
			r.dropped[prefixOf(key)] = true
			return false
		}
		r.want(binary.BigEndian.Uint64(value))
	}
	return true
}

// want notes a record that the new file's index names.
func (m *mirror) want(seq uint64) {
	m.wanted.add(seq)
	if !m.have.has(seq) && bytes.Compare(numberKey(seq), m.scanned) <= 0 {
		m.late = append(m.late, seq)
	}
}

// mark notes which records a row names. One that cannot be read might name any.
func (r *round) mark(tx *Tx, bucket string, key, value []byte, b *turnRows) {
	if r.everything || r.damaged {
		return
	}
	entries, err := namedBy(bucket, key, value)
	if err != nil {
		r.damaged, r.unused, r.scanned = true, 0, nil
		delete(r.leaves, bucketDigests)
		return
	}
	for _, e := range entries {
		r.named.add(e.Name)
		if p := prefixOf(e.Name[:]); r.dropped[p] {
			delete(r.dropped, p)
			r.takeDropped(tx, e.Name, b)
		}
	}
}

// takeDropped takes the entry of a record that no row named before.
func (r *round) takeDropped(tx *Tx, name schema.Digest, b *turnRows) {
	place := tx.buckets[bucketDigests].Get(name[:])
	if len(place) != 8 {
		return
	}
	r.want(binary.BigEndian.Uint64(place))
	b.index = append(b.index, row{name[:], place})
}

// apply writes what a turn read.
func (m *mirror) apply(b *turnRows) error {
	return m.to.Update(func(tx *bbolt.Tx) error {
		for name, n := range b.sequences {
			to, err := m.bucket(tx, name)
			if err == nil && to.Sequence() != n {
				err = to.SetSequence(n)
			}
			if err != nil {
				return err
			}
		}
		for _, s := range b.spans {
			if err := m.replace(tx, s); err != nil {
				return err
			}
		}
		if err := m.put(tx, bucketDigests, b.index); err != nil {
			return err
		}
		return m.putRecords(tx, b.records)
	})
}

// bucket returns one of the new file, and makes it where there is none.
func (m *mirror) bucket(tx *bbolt.Tx, name string) (*bbolt.Bucket, error) {
	b := tx.Bucket([]byte(name))
	if b == nil {
		var err error
		if b, err = tx.CreateBucket([]byte(name)); err != nil {
			return nil, fmt.Errorf("make bucket %s: %w", name, err)
		}
	}
	b.FillPercent = 1 // most keys come in order
	return b, nil
}

func (m *mirror) put(tx *bbolt.Tx, name string, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	to, err := m.bucket(tx, name)
	for _, r := range rows {
		if err == nil {
			err = to.Put(r.key, r.value)
		}
		m.copied += int64(len(r.key) + len(r.value))
	}
	return err
}

func (m *mirror) putRecords(tx *bbolt.Tx, rows []row) error {
	for _, r := range rows {
		if len(r.key) == 8 {
			seq := binary.BigEndian.Uint64(r.key)
			if m.have.has(seq) {
				continue
			}
			m.have.add(seq)
		}
		m.records++
		m.stored += int64(len(r.value))
	}
	return m.put(tx, bucketRecords, rows)
}

// replace makes a range of the new file's bucket like the span.
func (m *mirror) replace(tx *bbolt.Tx, s span) error {
	to, err := m.bucket(tx, s.bucket)
	if err != nil {
		return err
	}
	var changed []row
	var gone, places [][]byte
	rows := s.rows
	c := to.Cursor()
	for key, value := c.Seek(s.low); key != nil && (s.high == nil || bytes.Compare(key, s.high) < 0); key, value = c.Next() {
		for len(rows) > 0 && bytes.Compare(rows[0].key, key) < 0 {
			changed, rows = append(changed, rows[0]), rows[1:]
		}
		there := len(rows) > 0 && bytes.Equal(rows[0].key, key)
		switch {
		case there && bytes.Equal(rows[0].value, value):
		case there:
			changed, places = append(changed, rows[0]), append(places, bytes.Clone(value))
		default:
			gone, places = append(gone, bytes.Clone(key)), append(places, bytes.Clone(value))
		}
		if there {
			rows = rows[1:]
		}
	}
	for _, key := range gone {
		if err := to.Delete(key); err != nil {
			return err
		}
	}
	if s.bucket == bucketDigests {
		if err := m.forget(tx, places); err != nil {
			return err
		}
	}
	return m.put(tx, s.bucket, append(changed, rows...))
}

// forget removes the records at places that the index does not name any more.
func (m *mirror) forget(tx *bbolt.Tx, places [][]byte) error {
	records, err := m.bucket(tx, bucketRecords)
	if err != nil {
		return err
	}
	for _, place := range places {
		if len(place) != 8 {
			continue
		}
		seq := binary.BigEndian.Uint64(place)
		if m.wanted.remove(seq); !m.have.has(seq) {
			continue
		}
		m.have.remove(seq)
		m.records--
		m.stored -= int64(len(records.Get(place)))
		if err := records.Delete(place); err != nil {
			return err
		}
	}
	return nil
}
