package rows

import "bytes"

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
	if key, _ = c.Seek(prefix); key == nil {
		key, row = c.Last()
	} else {
		key, row = c.Prev()
	}
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
