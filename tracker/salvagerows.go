package tracker

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/pages"
)

// row takes an element of the tree.
func (s *salvager) row(e pages.Element) error {
	switch e.Bucket {
	case bucketOrder, bucketNames:
		return nil // made anew
	case bucketRemoved:
		return nil // left behind, with the records that only removed runs name
	case bucketPodtrack:
		if !isPlan(e.Key) {
			return nil // made anew
		}
	case bucketDigests:
		return s.place(e)
	case bucketRecords:
		return s.indexed(e)
	}
	if e.Value.Len() > int64(rowLimit(e.Bucket)) {
		s.lose(e.Bucket, e.Key, damagedRow(e.Bucket, e.Key))
		return nil
	}
	value, err := e.Value.Bytes()
	if err != nil {
		return err
	}
	checked, err := verify(e.Bucket, e.Key, value)
	if err == nil {
		err = soundRow(e.Bucket, e.Key, checked)
	}
	if err != nil {
		s.lose(e.Bucket, e.Key, err)
		return nil
	}
	s.meet(e.Bucket, e.Key, checked)
	s.mark(e.Bucket, e.Key, checked)
	return s.putRow(e.Bucket, e.Key, checked)
}

// meet notes which runs there are.
func (s *salvager) meet(bucket string, key, value []byte) {
	if slices.Contains(ofRun, bucket) && len(key) >= len(schema.Digest{}) {
		s.known[schema.Digest(key[:len(schema.Digest{})])] = true
	}
	if bucket == bucketRuns {
		if row, err := decodeRow[runRow](bucket, key, value); err == nil {
			s.last = max(s.last, row.Number)
		}
	}
}

// mark notes the records that a row names. Rows come before records, by the order
// of the buckets' names.
func (s *salvager) mark(bucket string, key, value []byte) {
	switch bucket {
	case bucketIterations:
		if list, err := decodeRow[[]schema.Entry](bucket, key, value[min(len(value), len(schema.Digest{})):]); err == nil {
			mark(s.names, list)
		}
	case bucketCheckpoints:
		if c, err := decodeRow[Checkpoint](bucket, key, value); err == nil {
			mark(s.names, c.Records)
		}
	case bucketEvaluations:
		if e, err := decodeRow[evaluationRow](bucket, key, value); err == nil {
			s.names[e.Record] = unused
		}
	}
}

func (s *salvager) putRow(bucket string, key, value []byte) error {
	key, value = bytes.Clone(key), bytes.Clone(value)
	return s.put(len(key)+len(value), func(tx *Tx) error { return tx.putRaw(bucket, key, value) })
}

// putRaw writes a verified row of any bucket that this program knows.
func (t *Tx) putRaw(bucket string, key, value []byte) error {
	if err := t.raise(formatOfRow(bucket, key, value)); err != nil {
		return err
	}
	if t.buckets[bucket] == nil {
		return nil
	}
	return t.put(bucket, key, value)
}

// place notes where a record is, or that it was pruned. The index itself is made
// anew.
func (s *salvager) place(e pages.Element) error {
	if len(e.Key) != len(schema.Digest{}) || e.Value.Len() > 8 {
		return nil
	}
	place, err := e.Value.Bytes()
	switch {
	case err != nil:
		return err
	case isTombstone(place):
		s.tombs[schema.Digest(e.Key)] = true
	case len(place) == 8:
		s.index[binary.BigEndian.Uint64(place)] = schema.Digest(e.Key)
	}
	return nil
}

// indexed takes a record of the tree, but for one that the index gives a name
// which no row names.
func (s *salvager) indexed(e pages.Element) error {
	if len(e.Key) == 8 {
		name, there := s.index[binary.BigEndian.Uint64(e.Key)]
		if _, named := s.names[name]; there && !named {
			return nil
		}
	}
	return s.record(e)
}

func (s *salvager) lose(bucket string, key []byte, why error) {
	lost := LostRow{Bucket: bucket, What: why.Error(), key: bytes.Clone(key)}
	if slices.Contains(ofRun, bucket) && len(key) >= len(schema.Digest{}) {
		id := schema.Digest(key[:len(schema.Digest{})])
		lost.Run = &id
	}
	s.out.Rows = append(s.out.Rows, lost)
}

// record takes a stored record if a row names what it holds. What damage has made
// of one may be well-formed too.
func (s *salvager) record(e pages.Element) error {
	stored, err := e.Value.Bytes()
	if err != nil {
		return err
	}
	c, err := s.to.codec()
	if err != nil {
		return err
	}
	name, err := c.name(stored)
	if err != nil {
		return nil // the rows say whether anybody misses it
	}
	if _, named := s.names[name]; !named || s.tombs[name] {
		return nil
	}
	stored = bytes.Clone(stored)
	return s.put(len(stored), func(tx *Tx) error {
		if tx.HasRecord(name) {
			return nil
		}
		s.out.Records++
		s.out.Bytes += int64(len(stored))
		return tx.append(name, stored)
	})
}
