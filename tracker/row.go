package tracker

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/podtrack/podtrack/schema"
)

// getRow returns a row's verified value, or nil if there is no such row. The bytes belong to the
// mapping.
func (t *Tx) getRow(bucket string, key []byte) ([]byte, error) {
	b := t.buckets[bucket]
	if b == nil {
		return nil, nil
	}
	row := b.Get(key)
	if row == nil {
		return nil, t.checkMisplaced(bucket, key)
	}
	return verifyRow(bucket, key, row)
}

// putRow writes a row with its checksum. It copies the value.
func (t *Tx) putRow(bucket string, key, value []byte) error {
	row := appendChecksum(bucket, key, value)
	if most := rowLimit(bucket); len(row) > most {
		return schema.Hint(fmt.Errorf("write row of %s: %w: %d bytes", bucket, ErrInvalid, len(row)),
			"it may have up to %d bytes", most)
	}
	if err := t.buckets[bucket].Put(key, row); err != nil {
		return fmt.Errorf("write row of %s: %w", bucket, err)
	}
	return nil
}

// removeRow deletes a row, if there is one.
func (t *Tx) removeRow(bucket string, key []byte) error {
	if err := t.buckets[bucket].Delete(key); err != nil {
		return fmt.Errorf("delete row of %s: %w", bucket, err)
	}
	return nil
}

// readRow reads and decodes a row. It reports in ok whether there is one.
func readRow[T any](t *Tx, bucket string, key []byte) (v T, ok bool, err error) {
	value, err := t.getRow(bucket, key)
	if value == nil || err != nil {
		return v, false, err
	}
	v, err = decodeRow[T](bucket, key, value)
	return v, err == nil, err
}

// decodeRow decodes a verified value. A value that does not decode was written wrong, which no
// checksum detects.
func decodeRow[T any](bucket string, key, value []byte) (v T, err error) {
	if q, ok := any(&v).(fastDecoder); ok {
		r := schema.NewCBORReader(value)
		if q.decodeFast(&r); r.Complete() {
			return v, nil
		}
		v = *new(T)
	}
	if err := schema.Unmarshal(value, &v); err != nil {
		return v, fmt.Errorf("%w: %w", damagedRowError(bucket, key), err)
	}
	return v, nil
}

// formatOfRow returns the store format that a verified row needs.
func formatOfRow(bucket string, key, value []byte) uint64 {
	for _, later := range optionalBuckets {
		if bucket == later.name {
			return later.format
		}
	}
	if bucket == bucketSessions {
		if s, err := decodeRow[Session](bucket, key, value); err == nil {
			return s.requiredFormat()
		}
	}
	return formatWhole
}

// writeRow encodes v and writes it as a row.
func writeRow[T any](t *Tx, bucket string, key []byte, v T) error {
	value, err := schema.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode row of %s: %w", bucket, err)
	}
	return t.putRow(bucket, key, value)
}

// rowsWithPrefix yields the rows whose keys begin with prefix, in order and not verified. The bytes
// belong to the mapping, and the bucket must not change during the loop.
func (t *Tx) rowsWithPrefix(bucket string, prefix []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, row []byte) bool) {
		if t.buckets[bucket] == nil {
			return
		}
		c := t.buckets[bucket].Cursor()
		for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
			if !yield(k, v) {
				return
			}
		}
	}
}

// lastRow returns the last row whose key begins with run, or nil if there is none. It returns an
// error if the row after it is one of the run's under a damaged key.
func (t *Tx) lastRow(bucket string, run schema.Digest) (key, row []byte, err error) {
	c := t.buckets[bucket].Cursor()
	beyond := append(run[:], 0xff, 0xff, 0xff, 0xff, 0xff)
	if after, next := c.Seek(beyond); after == nil {
		key, row = c.Last()
	} else {
		if err := checkNotMisplaced(run[:], bucket, after, next); err != nil {
			return nil, nil, err
		}
		key, row = c.Prev()
	}
	if !bytes.HasPrefix(key, run[:]) {
		return nil, nil, checkNotMisplaced(run[:], bucket, key, row)
	}
	return key, row, nil
}
