package tracker

import (
	"bytes"
)

// checkMisplaced returns an error if a row whose key begins with prefix stands beside its place
// because its key is damaged. Keys in a page are in order, so it can be nowhere else, and its
// checksum is that of the undamaged key.
func (t *Tx) checkMisplaced(bucket string, prefix []byte) error {
	c := t.buckets[bucket].Cursor()
	key, row := c.Seek(prefix)
	for key != nil && bytes.HasPrefix(key, prefix) {
		if !hasKeySize(bucket, key) {
			return damagedRowError(bucket, key)
		}
		key, row = c.Next()
	}
	if err := checkNotMisplaced(prefix, bucket, key, row); err != nil {
		return err
	}
	if key, _ = c.Seek(prefix); key == nil {
		key, row = c.Last()
	} else {
		key, row = c.Prev()
	}
	return checkNotMisplaced(prefix, bucket, key, row)
}

func hasKeySize(bucket string, key []byte) bool {
	n := keySizes[bucket]
	return n == 0 || len(key) == n
}

// checkNotMisplaced returns an error if the undamaged key of the row begins with prefix.
func checkNotMisplaced(prefix []byte, bucket string, key, row []byte) error {
	if key != nil && !hasKeySize(bucket, key) {
		return damagedRowError(bucket, key) // the undamaged key is unknown
	}
	if len(key) < len(prefix) || len(row) < sumSize || bytes.HasPrefix(key, prefix) {
		return nil
	}
	right := append(bytes.Clone(prefix), key[len(prefix):]...)
	value := row[:len(row)-sumSize]
	if [sumSize]byte(row[len(value):]) == checksum(bucket, right, value) {
		return damagedRowError(bucket, right)
	}
	return nil
}
