package tracker

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

const (
	rowDomain = "podtrack/row/1"
	sumSize   = 8
	smallRow  = 2 << 10
)

// checksum ends every row that is not a record: the first 8 bytes of
// SHA-256("podtrack/row/1" ‖ bucket ‖ key ‖ value). Rows are small and many, so
// most are put together where nothing need be allocated.
func checksum(bucket string, key, value []byte) (sum [sumSize]byte) {
	var small [smallRow]byte
	b := append(append(append(small[:0], rowDomain...), bucket...), key...)
	if len(b)+len(value) <= smallRow {
		whole := sha256.Sum256(append(b, value...))
		return [sumSize]byte(whole[:])
	}
	h := sha256.New()
	_, _ = h.Write(b)
	_, _ = h.Write(value)
	return [sumSize]byte(h.Sum(nil))
}

const (
	maxListRow = 64 << 20 // bytes of a row that lists records: up to 2²⁰ chunks alone are 50 MB
	maxRow     = 1 << 20  // bytes of any other row
)

// rowLimit is how long a row may be, in bytes: what is read of a store at once,
// and shown, is bounded, whatever somebody has written into it.
func rowLimit(bucket string) int {
	if bucket == bucketIterations || bucket == bucketCheckpoints {
		return maxListRow
	}
	return maxRow
}

// verifyRow returns a row without its checksum. The bytes are the mapping's.
func verifyRow(bucket string, key, row []byte) ([]byte, error) {
	if len(row) < sumSize || len(row) > rowLimit(bucket) {
		return nil, damagedRowError(bucket, key)
	}
	value := row[:len(row)-sumSize]
	if [sumSize]byte(row[len(value):]) != checksum(bucket, key, value) {
		return nil, damagedRowError(bucket, key)
	}
	return value, nil
}

func damagedRowError(bucket string, key []byte) error {
	return damagedError("row %s of %s", printableKey(key), bucket)
}

// printableKey is a key as people can read it, or its first bytes.
func printableKey(key []byte) string {
	if len(key) > maxPrintedKey {
		return printableKey(key[:maxPrintedKey]) + "…"
	}
	if isPrintable(key) {
		return string(key)
	}
	return fmt.Sprintf("%x", key)
}

const maxPrintedKey = 64 // bytes

func isPrintable(key []byte) bool {
	for _, c := range key {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// appendChecksum is a row of a copy of the value.
func appendChecksum(bucket string, key, value []byte) []byte {
	sum := checksum(bucket, key, value)
	return append(bytes.Clone(value), sum[:]...)
}
