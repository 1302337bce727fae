package tracker

import (
	"encoding/binary"

	"github.com/podtrack/podtrack/schema"
)

// The buckets, all at the top of the tree. Their names are part of every checksum, and a test pins
// them.
const (
	bucketPodtrack    = "podtrack"    // formatKey → formatRow, plan/ ‖ tag → Plan
	bucketRecords     = "records"     // sequence → stored record
	bucketDigests     = "digests"     // digest → sequence
	bucketRuns        = "runs"        // run → runRow
	bucketOrder       = "order"       // number → runRef
	bucketIterations  = "iterations"  // run ‖ k → link ‖ entries
	bucketCheckpoints = "checkpoints" // run → Checkpoint
	bucketLeases      = "leases"      // run → Lease
	bucketAnnotations = "annotations" // run → Annotation
	bucketNames       = "names"       // name → runRef
	bucketTags        = "tags"        // run ‖ tag → tagRow
	bucketCosts       = "costs"       // run ‖ k → Cost
	bucketSessions    = "sessions"    // run ‖ n → Session
	bucketKeeps       = "keeps"       // run → Retention; from formatPruned on
	bucketEvaluations = "evaluations" // run ‖ k ‖ digest → evaluationRow; from formatEvaluations on
	bucketProofs      = "proofs"      // run ‖ k → proof levels, not read yet; from formatSessions on
	bucketRemoved     = "removed"     // rows of removed runs, not read yet; from formatSessions on
)

// The format versions. A store has the lowest version that its contents need, so that older programs
// can read stores without newer features.
const (
	formatWhole  = 1
	formatPruned = 2 // adds bucket keeps, and tombstones in bucket digests
	formatDelta  = 3 // adds delta-encoded records

	formatEvaluations = 4 // adds evaluations
	formatSessions    = 5 // adds sessions that are written when they begin, proof levels, rows of removed runs
)

// buckets lists the buckets that every store has.
var buckets = []string{
	bucketPodtrack, bucketRecords, bucketDigests, bucketRuns, bucketOrder, bucketIterations, bucketCheckpoints,
	bucketLeases, bucketAnnotations, bucketNames, bucketTags, bucketCosts, bucketSessions,
}

// optionalBuckets lists the buckets that a store has from some format on.
var optionalBuckets = []struct {
	name   string
	format uint64
}{
	{bucketKeeps, formatPruned},
	{bucketEvaluations, formatEvaluations},
	{bucketProofs, formatSessions},
	{bucketRemoved, formatSessions},
}

// runBuckets lists the buckets whose keys begin with a run's ID.
var runBuckets = []string{
	bucketRuns, bucketIterations, bucketCheckpoints, bucketLeases, bucketAnnotations, bucketTags, bucketCosts,
	bucketSessions, bucketKeeps, bucketEvaluations, bucketProofs,
}

// keySizes has the length of keys in bytes, for buckets in which all keys have the same length.
var keySizes = map[string]int{
	bucketRecords: 8, bucketDigests: 32, bucketRuns: 32, bucketOrder: 8, bucketIterations: 36, bucketCheckpoints: 32,
	bucketLeases: 32, bucketAnnotations: 32, bucketCosts: 36, bucketSessions: 36,
	bucketKeeps: 32, bucketEvaluations: 68, bucketProofs: 36,
}

const formatKey = "format"

// formatRow is read before anything else. No later version may add a field; other facts about a
// store go into other rows of its bucket.
type formatRow struct {
	Format uint64 `cbor:"format"`
}

type runRow struct {
	Number uint64         `cbor:"number"`
	Spec   schema.Spec    `cbor:"spec"`
	Start  *schema.Digest `cbor:"start"`

	Ancestors []Ancestor `cbor:"ancestors"`
}

type runRef struct {
	Run schema.Digest `cbor:"run"`
}

type tagRow struct {
	Added int64 `cbor:"added"`
}

// Numbers in keys are big-endian, so that keys sort by number.

func numberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// partKey returns the key of the n-th row of a kind of a run.
func partKey(run schema.Digest, n int) []byte {
	return binary.BigEndian.AppendUint32(run[:], uint32(n))
}

func tagKey(run schema.Digest, tag string) []byte { return append(run[:], tag...) }

// partNumber returns the n of a key that [partKey] made.
func partNumber(key []byte) (int, bool) {
	if len(key) != len(schema.Digest{})+4 {
		return 0, false
	}
	return int(binary.BigEndian.Uint32(key[len(schema.Digest{}):])), true
}
