package rows

import (
	"encoding/binary"

	"github.com/podtrack/podtrack/schema"
)

// The buckets, all at the top of the tree. Their names are part of every checksum, and a test pins them.
const (
	BucketPodtrack    = "podtrack"    // formatKey → formatRow; study/ ‖ …: see FORMAT.md
	BucketRecords     = "records"     // sequence → stored record
	BucketDigests     = "digests"     // digest → sequence, tombstone, or sequence ‖ owner
	BucketRuns        = "runs"        // run → spec, start, ancestors, number
	BucketOrder       = "order"       // number → runRef
	BucketIterations  = "iterations"  // run ‖ k → link ‖ entries
	BucketCheckpoints = "checkpoints" // run → tracker.Checkpoint
	BucketLeases      = "leases"      // run → tracker.Lease
	BucketAnnotations = "annotations" // run → tracker.Annotation
	BucketNames       = "names"       // name → runRef
	BucketTags        = "tags"        // run ‖ tag → Tag
	BucketCosts       = "costs"       // run ‖ k → tracker.Cost
	BucketSessions    = "sessions"    // run ‖ n → tracker.Session
	BucketKeeps       = "keeps"       // run → tracker.Retention
)

// Buckets lists the buckets that every store has.
var Buckets = []string{
	BucketPodtrack, BucketRecords, BucketDigests, BucketRuns, BucketOrder, BucketIterations, BucketCheckpoints,
	BucketLeases, BucketAnnotations, BucketNames, BucketTags, BucketCosts, BucketSessions, BucketKeeps,
}

// RunBuckets lists the buckets whose keys begin with a run's ID.
var RunBuckets = []string{
	BucketRuns, BucketIterations, BucketCheckpoints, BucketLeases, BucketAnnotations, BucketTags, BucketCosts,
	BucketSessions, BucketKeeps,
}

// keySizes has the length of keys in bytes, for buckets in which all keys have the same length.
var keySizes = map[string]int{
	BucketRecords: 8, BucketDigests: 32, BucketRuns: 32, BucketOrder: 8, BucketIterations: 36, BucketCheckpoints: 32,
	BucketLeases: 32, BucketAnnotations: 32, BucketCosts: 36, BucketSessions: 36,
	BucketKeeps: 32,
}

// HasKeySize reports whether a key has the length of the bucket's keys.
func HasKeySize(bucket string, key []byte) bool {
	n := keySizes[bucket]
	return n == 0 || len(key) == n
}

// Numbers in keys are big-endian, so that keys sort by number.

// NumberKey returns the key of a run's number, or of a record's sequence.
func NumberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// PartKey returns the key of row n of a run, in a bucket with several rows for each run.
func PartKey(run schema.Digest, n int) []byte {
	return binary.BigEndian.AppendUint32(run[:], uint32(n))
}

// PartNumber returns the n of a key made by [PartKey].
func PartNumber(key []byte) (int, bool) {
	if len(key) != len(schema.Digest{})+4 {
		return 0, false
	}
	return int(binary.BigEndian.Uint32(key[len(schema.Digest{}):])), true
}

// TagKey returns the key of a run's tag.
func TagKey(run schema.Digest, tag string) []byte { return append(run[:], tag...) }

// Tag is a row of bucket tags.
type Tag struct {
	Added int64 `cbor:"added"` // Unix time in nanoseconds
}

// MaxMetadata limits the bytes of the rows of a run, other than iterations, that are copied from another store.
const MaxMetadata = 16 << 20

// Approximate sizes of rows.
const (
	EntryBytes = 48           // of an entry of an iteration
	RowBytes   = 128          // of an iteration and its cost, keys and checksums
	RunBytes   = 7 * RowBytes // of a run, whose metadata is in as many buckets
)
