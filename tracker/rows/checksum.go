package rows

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

const (
	rowDomain = "podtrack/row/1"
	smallRow  = 2 << 10
)

// SumSize is the length of a row's checksum in bytes.
const SumSize = 8

// checksum returns the checksum at the end of every row that is not a record: the first 8 bytes of
// SHA-256("podtrack/row/1" ‖ bucket ‖ key ‖ value). Rows are small and many, so most are hashed without an allocation.
func checksum(bucket string, key, value []byte) (sum [SumSize]byte) {
	var small [smallRow]byte
	b := append(append(append(small[:0], rowDomain...), bucket...), key...)
	if len(b)+len(value) <= smallRow {
		whole := sha256.Sum256(append(b, value...))
		return [SumSize]byte(whole[:])
	}
	h := sha256.New()
	_, _ = h.Write(b)
	_, _ = h.Write(value)
	return [SumSize]byte(h.Sum(nil))
}

// AppendChecksum returns a copy of the value with its checksum.
func AppendChecksum(bucket string, key, value []byte) []byte {
	sum := checksum(bucket, key, value)
	return append(bytes.Clone(value), sum[:]...)
}

const (
	MaxListRow = 64 << 20 // bytes of a row that lists records: up to 2²⁰ chunks alone are 50 MB
	MaxRow     = 1 << 20  // bytes of any other row
)

// Limit returns the largest length of a row in bytes. It bounds the memory for reading a row, even of a forged store.
func Limit(bucket string) int {
	switch bucket {
	case BucketIterations, BucketCheckpoints, BucketPodtrack: // the last for studies of many specs
		return MaxListRow
	}
	return MaxRow
}

// Verify verifies a row's checksum and returns its value, which is valid during the transaction.
func Verify(bucket string, key, row []byte) ([]byte, error) {
	if len(row) < SumSize || len(row) > Limit(bucket) {
		return nil, DamagedError(bucket, key)
	}
	value := row[:len(row)-SumSize]
	if [SumSize]byte(row[len(value):]) != checksum(bucket, key, value) {
		return nil, DamagedError(bucket, key)
	}
	return value, nil
}

// DamagedError returns [storeerr.ErrDamaged] about a row.
func DamagedError(bucket string, key []byte) error {
	return storeerr.Damaged("row %s of %s", PrintableKey(key), bucket)
}

// PrintableKey returns a key as text, or as hexadecimal digits, truncated to maxPrintedKey bytes.
func PrintableKey(key []byte) string {
	if len(key) > maxPrintedKey {
		return PrintableKey(key[:maxPrintedKey]) + "…"
	}
	if isPrintable(key) {
		return string(key)
	}
	if i := bytes.IndexByte(key, '/'); i > 0 && isPrintable(key[:i]) {
		return fmt.Sprintf("%s%x", key[:i+1], key[i+1:]) // a prefix before a digest
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
