package rows

import (
	"encoding/binary"

	"github.com/podtrack/podtrack/schema"
)

// The buckets, all at the top of the tree. Their names are part of every checksum, and a test pins
// them.
const (
	BucketPodtrack    = "podtrack"    // formatKey → formatRow, plan/ ‖ …, planned/ ‖ …, evaluating/ ‖ …: see FORMAT.md
	BucketRecords     = "records"     // sequence → stored record
	BucketDigests     = "digests"     // digest → sequence
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
	BucketKeeps       = "keeps"       // run → tracker.Retention; from FormatPruned on
	BucketEvaluations = "evaluations" // run ‖ k ‖ digest → evaluation; from FormatEvaluations on
	BucketProofs      = "proofs"      // run ‖ k → tracker.Proof; from FormatSessions on
	BucketRemoved     = "removed"     // time ‖ run ‖ bucket ‖ 0 ‖ key → row of a removed run; from FormatSessions on
)

// The format versions. A store has the lowest version that its contents need, so that older programs
// can read stores without newer features.
const (
	FormatWhole  = 1
	FormatPruned = 2 // adds bucket keeps, and tombstones in bucket digests
	FormatDelta  = 3 // adds delta-encoded records

	FormatEvaluations = 4 // adds evaluations
	FormatSessions    = 5 // adds sessions that are written when they begin, proof levels, rows of removed runs
	FormatLeaveOut    = 6 // adds specs that leave options out of the action set
	FormatNumerics    = 7 // adds numerics version 2, whose factors have no U
	FormatExploration = 8 // adds what [schema.Spec.IsExtended] lists
	FormatRewards     = 9 // adds what [schema.Spec.IsExtendedAgain] lists, and evaluations on empirical models
	// FormatStages adds specs with external stages, evaluations whose task are rewards and their records, and the
	// code of sessions.
	FormatStages = 10
	// FormatMeasures adds specs with an external stage that measures, and its records.
	FormatMeasures = 11
)

// Buckets lists the buckets that every store has.
var Buckets = []string{
	BucketPodtrack, BucketRecords, BucketDigests, BucketRuns, BucketOrder, BucketIterations, BucketCheckpoints,
	BucketLeases, BucketAnnotations, BucketNames, BucketTags, BucketCosts, BucketSessions,
}

// optionalBuckets lists the buckets that a store has from some format on.
var optionalBuckets = []struct {
	name   string
	format uint64
}{
	{BucketKeeps, FormatPruned},
	{BucketEvaluations, FormatEvaluations},
	{BucketProofs, FormatSessions},
	{BucketRemoved, FormatSessions},
}

// FormatOf returns the store format that has a bucket.
func FormatOf(bucket string) uint64 {
	for _, later := range optionalBuckets {
		if bucket == later.name {
			return later.format
		}
	}
	return FormatWhole
}

// RunBuckets lists the buckets whose keys begin with a run's ID.
var RunBuckets = []string{
	BucketRuns, BucketIterations, BucketCheckpoints, BucketLeases, BucketAnnotations, BucketTags, BucketCosts,
	BucketSessions, BucketKeeps, BucketEvaluations, BucketProofs,
}

// keySizes has the length of keys in bytes, for buckets in which all keys have the same length.
var keySizes = map[string]int{
	BucketRecords: 8, BucketDigests: 32, BucketRuns: 32, BucketOrder: 8, BucketIterations: 36, BucketCheckpoints: 32,
	BucketLeases: 32, BucketAnnotations: 32, BucketCosts: 36, BucketSessions: 36,
	BucketKeeps: 32, BucketEvaluations: 68, BucketProofs: 36,
}

// HasKeySize reports whether a key has the length of the bucket's keys.
func HasKeySize(bucket string, key []byte) bool {
	n := keySizes[bucket]
	return n == 0 || len(key) == n
}

// Numbers in keys are big-endian, so that keys sort by number.

// NumberKey returns the key of a run's number, or of a record's sequence.
func NumberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// PartKey returns the key of the n-th row of a kind of a run.
func PartKey(run schema.Digest, n int) []byte {
	return binary.BigEndian.AppendUint32(run[:], uint32(n))
}

// PartNumber returns the n of a key that [PartKey] made.
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
