package tracker

import (
	"hash/maphash"
	"os"

	"go.etcd.io/bbolt"
)

// liveCopyOptions configures a [liveCopy].
type liveCopyOptions struct {
	allRecords   bool                    // also copy records that no row names
	emptyBuckets []string                // buckets that are copied without rows
	progress     func(done, total int64) // called with the bytes copied; may be nil

	// onChange is called for each row that is written to or deleted from the new file; may be nil.
	onChange func(bucket string, key []byte)
}

// liveCopy copies a store to a new file while others write to the store. A pass goes through the
// whole store in short transactions, and writes to the new file after each when the store is closed
// again. It compares the hashes of leaves with those of the previous pass. Page numbers and branches
// do not help: within two commits a leaf can move away and another one take its page, after which the
// branch above has its old bytes, perhaps at its old place. So each pass copies less than the one
// before, and the last one, in a single transaction, copies only the most recent commits.
//
// Records never change and follow the index: a record is copied when its index entry is, and
// deleted when the entry is deleted or becomes a tombstone.
type liveCopy struct {
	liveCopyOptions
	source *Store
	target *bbolt.DB
	file   *os.File // of the first transaction, kept open so that its inode is not reused

	seed   maphash.Seed
	leaves map[string][]leafSum // by bucket, in order, as the new file has them
	txid   uint64               // commit that the new file is a copy of, 0 for none

	damaged       bool            // a row cannot be read and may name any record
	referenced    nameSet         // records that rows name
	dropped       map[uint64]bool // index entries that were skipped, by the first 8 bytes of their names
	wantedRecords bitset          // records that the new file's index names
	copiedRecords bitset          // records that are in the new file
	scanned       []byte          // key up to which the records were read
	overdue       []uint64        // records before scanned that the new file lacks

	records  int // in the new file
	stored   int64
	unused   int
	copied   int64 // bytes copied, for progress
	expected int64
}

func newLiveCopy(from *Store, to *bbolt.DB, o liveCopyOptions) *liveCopy {
	return &liveCopy{
		liveCopyOptions: o, source: from, target: to, seed: maphash.MakeSeed(), leaves: map[string][]leafSum{},
		dropped: map[uint64]bool{}, wantedRecords: bitset{}, copiedRecords: bitset{},
	}
}

// leafSum identifies a leaf whose rows the new file has.
type leafSum struct {
	low []byte
	sum uint64 // 0 for a part of a leaf, which matches no leaf
}

// copyPass is the state of a pass through all buckets.
type copyPass struct {
	*liveCopy
	txid   uint64
	stable bool   // all transactions saw the same commit
	limit  uint64 // sequence of the last record when the index was read

	buckets []string // still to be read; the first is current
	nextKey []byte   // next key in buckets[0]
	before  []leafSum
	after   []leafSum
}
