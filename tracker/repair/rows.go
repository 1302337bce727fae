package repair

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

func (s *salvager) takeRow(e pages.Element) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	switch e.Bucket {
	case rows.BucketOrder, rows.BucketNames:
		return s.noteReference(e) // rebuilt
	case rows.BucketPodtrack:
		if !tracker.IsStudyKey(e.Key) {
			return nil // rebuilt
		}
	case rows.BucketDigests:
		return s.noteLocation(e)
	case rows.BucketRecords:
		return s.takeIndexedRecord(e)
	}
	row, value, damage, err := readRow(e.Bucket, e)
	if err != nil {
		return err
	}
	if damage != nil {
		s.torn = s.torn || row != nil && isOfOtherBucket(e.Bucket, e.Key, row)
		s.addLost(e.Bucket, e.Key, damage)
		return nil
	}
	s.noteRun(e.Bucket, e.Key)
	return s.queueRow(e.Bucket, e.Key, row, value, false)
}

// readRow reads an element as a row of a bucket, and returns the row, its value, and why podtrack cannot have written
// it, nil if it can. The row is nil if it is too long for the bucket.
func readRow(bucket string, e pages.Element) (row, value []byte, damage, err error) {
	if e.Value.Len() > int64(rows.Limit(bucket)) {
		return nil, nil, rows.DamagedError(bucket, e.Key), nil
	}
	if row, err = e.Value.Bytes(); err != nil {
		return nil, nil, nil, err
	}
	if value, damage = rows.Verify(bucket, e.Key, row); damage == nil {
		damage = tracker.ValidateRow(bucket, e.Key, value)
	}
	return row, value, damage, nil
}

// isOfOtherBucket reports whether a row that is none of its bucket is one of another.
func isOfOtherBucket(bucket string, key, value []byte) bool {
	return !rows.HasKeySize(bucket, key) || slices.ContainsFunc(rows.Buckets, func(other string) bool {
		_, err := rows.Verify(other, key, value)
		return err == nil
	})
}

func (s *salvager) noteRun(bucket string, key []byte) {
	if slices.Contains(rows.RunBuckets, bucket) && len(key) >= len(schema.Digest{}) {
		id := schema.Digest(key[:len(schema.Digest{})])
		s.knownRuns[id] = s.knownRuns[id] || bucket == rows.BucketRuns
	}
}

// noteReference records the run that a row of the order or of the names refers to.
func (s *salvager) noteReference(e pages.Element) error {
	row, _, damage, err := readRow(e.Bucket, e)
	if damage == nil && err == nil {
		if id, err := rows.DecodeRef(e.Bucket, e.Key, row); err == nil && !s.knownRuns[id] {
			s.knownRuns[id] = false
		}
	}
	return err
}

// queueRow records the records that a valid row names, and queues the row for the new store, which takes an orphan only
// if it lacks the key. Rows come before records, since buckets are ordered by name, and in the order of keys, so many
// of them share a page.
func (s *salvager) queueRow(bucket string, key, row, value []byte, orphan bool) error {
	if named, err := tracker.NamedRecords(bucket, key, row); err == nil {
		for _, e := range named {
			s.referenced[e.Name] = true
		}
	}
	key, value = bytes.Clone(key), bytes.Clone(value)
	return s.writes.Add(s.ctx, int64(len(key)+len(value)+rows.RowBytes), func(tx *tracker.Tx) error {
		b := tx.Rows().Bucket(bucket) // nil for one of a forged file alone
		if b == nil || orphan && b.Get(key) != nil {
			return nil
		}
		if orphan {
			s.noteOrphan(bucket, key)
		}
		return tx.Rows().Put(bucket, key, value)
	})
}

// noteLocation records the place of a record, or that it was pruned. The index itself is rebuilt.
func (s *salvager) noteLocation(e pages.Element) error {
	if len(e.Key) != len(schema.Digest{}) || e.Value.Len() > rows.MaxEntry {
		return nil
	}
	entry, err := e.Value.Bytes()
	switch place, _ := rows.SplitEntry(entry); {
	case err != nil:
		return err
	case rows.IsTombstone(place):
		s.tombstones[schema.Digest(e.Key)] = true
	case len(place) == 8:
		s.namesByPlace[binary.BigEndian.Uint64(place)] = schema.Digest(e.Key)
	}
	return nil
}

// takeIndexedRecord copies a record of the tree, unless no row names the name that the index has for it.
func (s *salvager) takeIndexedRecord(e pages.Element) error {
	if len(e.Key) == 8 {
		name, there := s.namesByPlace[binary.BigEndian.Uint64(e.Key)]
		_, named := s.referenced[name]
		if there && !named {
			return nil
		}
		if there && !s.tombstones[name] {
			s.indexed++
		}
	}
	return s.takeRecord(e)
}

// takeRecord copies a stored record if a row names its contents. A damaged record can be well-formed too, but
// then no row names it.
func (s *salvager) takeRecord(e pages.Element) error {
	stored, err := e.Value.Bytes()
	if err != nil {
		return err
	}
	c, err := s.to.Codec()
	if err != nil {
		return err
	}
	name, err := c.NameOf(stored)
	if err != nil {
		return nil // if a row names it, it is reported as missing
	}
	if _, named := s.referenced[name]; !named || s.tombstones[name] {
		return nil
	}
	stored = bytes.Clone(stored)
	return s.writes.Add(s.ctx, int64(len(stored))+tracker.RowCost, func(tx *tracker.Tx) error {
		if tx.Rows().HasRecord(name) {
			return nil
		}
		s.report.Records++
		s.report.Bytes += int64(len(stored))
		return tx.Rows().AppendRecord(name, stored)
	})
}
