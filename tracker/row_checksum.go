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

// checksum returns the checksum at the end of every row that is not a record: the first 8 bytes of
// SHA-256("podtrack/row/1" ‖ bucket ‖ key ‖ value). Rows are small and many, so most are hashed
// without an allocation.
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

// rowLimit returns the largest length of a row in bytes. It bounds what is read of a store at once,
// whatever somebody has written into it.
func rowLimit(bucket string) int {
	if bucket == bucketIterations || bucket == bucketCheckpoints {
		return maxListRow
	}
	return maxRow
}

// verifyRow verifies a row's checksum and returns its value, which belongs to the mapping.
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

// printableKey returns a key as text, or as hexadecimal digits, cut to maxPrintedKey bytes.
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

// appendChecksum returns a copy of the value with its checksum.
func appendChecksum(bucket string, key, value []byte) []byte {
	sum := checksum(bucket, key, value)
	return append(bytes.Clone(value), sum[:]...)
}
