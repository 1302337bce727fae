package tracker

import (
	"bytes"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// A removedRow is a row of a removed run: its bucket and key before, and the row with its checksum.
// Its key in the bucket of removed runs is the time of the removal, 8 bytes BE ‖ run ID ‖ bucket ‖
// the byte 0 ‖ key.
type removedRow struct {
	bucket   string
	key, row []byte
}

// decodeRemoved verifies a row of the bucket of removed runs, and the row in it.
func decodeRemoved(key, row []byte) (r removedRow, err error) {
	value, err := rows.Verify(rows.BucketRemoved, key, row)
	if err != nil {
		return r, err
	}
	if len(key) < removedPrefix {
		return r, rows.DamagedError(rows.BucketRemoved, key)
	}
	bucket, inner, found := bytes.Cut(key[removedPrefix:], []byte{0})
	r = removedRow{string(bucket), inner, value}
	refers := r.bucket == rows.BucketOrder || r.bucket == rows.BucketNames
	if !found || !refers && !slices.Contains(rows.RunBuckets, r.bucket) ||
		!refers && !bytes.HasPrefix(inner, key[8:removedPrefix]) {
		return r, rows.DamagedError(rows.BucketRemoved, key)
	}
	_, err = rows.Verify(r.bucket, r.key, r.row)
	return r, err
}

func namesRecords(bucket string) bool {
	return bucket == rows.BucketIterations || bucket == rows.BucketCheckpoints || bucket == rows.BucketEvaluations
}

const removedPrefix = 8 + len(schema.Digest{}) // bytes of a key that are equal for all rows of a removed run
