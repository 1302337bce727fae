package tracker

import (
	"bytes"
)

// notStray makes sure that no row whose key begins with prefix is beside its
// place because its key is damaged: keys in a page are in order, so it cannot be
// elsewhere, and its checksum is that of the right key.
func (t *Tx) notStray(bucket string, prefix []byte) error {
	c := t.buckets[bucket].Cursor()
	key, row := c.Seek(prefix)
	for key != nil && bytes.HasPrefix(key, prefix) {
		if !rightSize(bucket, key) {
			return damagedRow(bucket, key)
		}
		key, row = c.Next()
	}
	if err := notOf(prefix, bucket, key, row); err != nil {
		return err
	}
	if key, _ = c.Seek(prefix); key == nil {
		key, row = c.Last()
	} else {
		key, row = c.Prev()
	}
	return notOf(prefix, bucket, key, row)
}

func rightSize(bucket string, key []byte) bool {
	n := keySizes[bucket]
	return n == 0 || len(key) == n
}

// notOf makes sure that a row is not one whose key begins with prefix.
func notOf(prefix []byte, bucket string, key, row []byte) error {
	if key != nil && !rightSize(bucket, key) {
		return damagedRow(bucket, key) // which may be of any key
	}
	if len(key) < len(prefix) || len(row) < sumSize || bytes.HasPrefix(key, prefix) {
		return nil
	}
	right := append(bytes.Clone(prefix), key[len(prefix):]...)
	value := row[:len(row)-sumSize]
	if [sumSize]byte(row[len(value):]) == checksum(bucket, right, value) {
		return damagedRow(bucket, right)
	}
	return nil
}
