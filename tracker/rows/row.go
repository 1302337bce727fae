package rows

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

// Get returns a row's verified value, or nil if the row does not exist. The bytes are valid during the transaction.
func (t *Tx) Get(bucket string, key []byte) ([]byte, error) {
	b := t.buckets[bucket]
	if b == nil {
		return nil, nil
	}
	row := b.Get(key)
	if row == nil {
		return nil, t.CheckMisplaced(bucket, key)
	}
	return Verify(bucket, key, row)
}

// Put writes a row with its checksum. It copies the value.
func (t *Tx) Put(bucket string, key, value []byte) error {
	row := AppendChecksum(bucket, key, value)
	if most := Limit(bucket); len(row) > most {
		return schema.Hint(fmt.Errorf("write row of %s: %w: %d bytes", bucket, storeerr.ErrInvalid, len(row)),
			"a row can have up to %d bytes", most)
	}
	if err := t.buckets[bucket].Put(key, row); err != nil {
		return fmt.Errorf("write row of %s: %w", bucket, err)
	}
	return nil
}

// Remove deletes a row, if it exists.
func (t *Tx) Remove(bucket string, key []byte) error {
	if err := t.buckets[bucket].Delete(key); err != nil {
		return fmt.Errorf("delete row of %s: %w", bucket, err)
	}
	return nil
}

// Read reads and decodes a row. ok reports whether it exists.
func Read[T any](t *Tx, bucket string, key []byte) (v T, ok bool, err error) {
	value, err := t.Get(bucket, key)
	if value == nil || err != nil {
		return v, false, err
	}
	v, err = Decode[T](bucket, key, value)
	return v, err == nil, err
}

// ReadOptional reads a row of a run, or returns nil if it does not exist.
func ReadOptional[T any](t *Tx, bucket string, run schema.Digest) (*T, error) {
	v, ok, err := Read[T](t, bucket, run[:])
	if !ok || err != nil {
		return nil, err
	}
	return &v, nil
}

// Write encodes v and writes it as a row.
func Write[T any](t *Tx, bucket string, key []byte, v T) error {
	value, err := wire.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode row of %s: %w", bucket, err)
	}
	return t.Put(bucket, key, value)
}

// Decode decodes a verified value. A value that cannot be decoded was wrong when it was written, which no
// checksum detects.
func Decode[T any](bucket string, key, value []byte) (v T, err error) {
	if err := wire.Unmarshal(value, &v); err != nil {
		return v, fmt.Errorf("%w: %w", DamagedError(bucket, key), err)
	}
	return v, nil
}

// DecodeRow verifies a row and decodes its value.
func DecodeRow[T any](bucket string, key, row []byte) (v T, err error) {
	value, err := Verify(bucket, key, row)
	if err != nil {
		return v, err
	}
	return Decode[T](bucket, key, value)
}

// DecodeFast decodes a verified value by a function that needs no reflection, for rows that every list of runs reads.
// [Decode] decodes a value of an unexpected form again, and determines whether it is valid.
func DecodeFast[T any](bucket string, key, value []byte, decode func(*T, *wire.CBORReader)) (v T, err error) {
	r := wire.NewCBORReader(value)
	if decode(&v, &r); r.Complete() {
		return v, nil
	}
	return Decode[T](bucket, key, value)
}

// WithPrefix yields the rows whose keys begin with prefix, in order and not verified. The bytes are valid
// during the transaction, and the bucket must not change during the loop.
func (t *Tx) WithPrefix(bucket string, prefix []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, row []byte) bool) {
		c := t.buckets[bucket].Cursor()
		for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
			if !yield(k, v) {
				return
			}
		}
	}
}

// Keys returns copies of the keys that begin with prefix.
func (t *Tx) Keys(bucket string, prefix []byte) [][]byte {
	var keys [][]byte
	for key := range t.WithPrefix(bucket, prefix) {
		keys = append(keys, bytes.Clone(key))
	}
	return keys
}

// SeekBefore moves a cursor to the last key that is less than the given one.
func SeekBefore(c Cursor, key []byte) (before, row []byte) {
	if next, _ := c.Seek(key); next == nil {
		return c.Last()
	}
	return c.Prev()
}

// LastOf returns the last row whose key begins with run, or nil if the run has none. It returns an error if the
// row after it belongs to the run and has a damaged key.
func (t *Tx) LastOf(bucket string, run schema.Digest) (key, row []byte, err error) {
	c := t.buckets[bucket].Cursor()
	beyond := append(run[:], 0xff, 0xff, 0xff, 0xff, 0xff)
	if after, next := c.Seek(beyond); after != nil {
		if err := checkNotMisplaced(run[:], bucket, after, next); err != nil {
			return nil, nil, err
		}
	}
	key, row = SeekBefore(c, beyond)
	if !bytes.HasPrefix(key, run[:]) {
		return nil, nil, checkNotMisplaced(run[:], bucket, key, row)
	}
	return key, row, nil
}

// CheckMisplaced returns an error if a row whose key should begin with prefix is beside its place because its
// key is damaged. Keys in a page are in order, so the row cannot be anywhere else, and its checksum is that of
// the undamaged key.
func (t *Tx) CheckMisplaced(bucket string, prefix []byte) error {
	c := t.buckets[bucket].Cursor()
	key, row := c.Seek(prefix)
	for key != nil && bytes.HasPrefix(key, prefix) {
		if !HasKeySize(bucket, key) {
			return DamagedError(bucket, key)
		}
		key, row = c.Next()
	}
	if err := checkNotMisplaced(prefix, bucket, key, row); err != nil {
		return err
	}
	key, row = SeekBefore(c, prefix)
	return checkNotMisplaced(prefix, bucket, key, row)
}

// checkNotMisplaced returns an error if the undamaged key of the row begins with prefix.
func checkNotMisplaced(prefix []byte, bucket string, key, row []byte) error {
	if key != nil && !HasKeySize(bucket, key) {
		return DamagedError(bucket, key) // the undamaged key is unknown
	}
	if len(key) < len(prefix) || len(row) < SumSize || bytes.HasPrefix(key, prefix) {
		return nil
	}
	right := append(bytes.Clone(prefix), key[len(prefix):]...)
	value := row[:len(row)-SumSize]
	if [SumSize]byte(row[len(value):]) == checksum(bucket, right, value) {
		return DamagedError(bucket, right)
	}
	return nil
}
