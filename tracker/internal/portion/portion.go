// Package portion has the sizes of the portions in which long operations on a store are done. They bound memory
// and the time for which other processes wait; no result depends on them. They are variables because a test
// lowers them to check that; nothing else sets them.
package portion

import "time"

// Sizes in bytes.
var (
	Staged int64 = 16 << 20 // work of one run after which a checkpoint is due, and about what a pass reads at once
	Sealed int64 = 32 << 20 // work of all runs at which sealing commits
	Read   int64 = 16 << 20 // records that a transaction reads and a long operation keeps in memory
	Tx     int64 = 5 << 20  // a writing transaction: less is slower, more holds the lock longer and takes memory
	Cached int64 = 4 << 20  // pages of a file in memory
	Piece        = 1 << 20  // of an excerpt, read between two checks of the context
)

// Numbers.
var (
	SealedRows    = 8192    // records of all runs at which sealing commits
	RunsPerWorker = 256     // runs for which another goroutine pays off
	Examined      = 1 << 18 // records whose references a removal counts at once
	Usage         = 1 << 20 // records counted at once, in about 100 MB: for more, rows are read several times

	// Group is the number of runs that a merge surveys and compares at once, in the order of IDs, which is that of
	// the rows: the more runs, the fewer pages are read for each.
	Group = 2048

	// LookedUp is the number of records whose places a merge looks up at once, at about 150 bytes each. Digests
	// are spread over the whole index: the more records, the fewer pages are read for each.
	LookedUp = 1 << 16

	// Compared is about the number of records of its target that a merge verifies at once. In the order of their
	// places many share a page.
	Compared = 1 << 14

	Remembered = 1 << 16 // verified records, at about 150 bytes each
)

const (
	// ShortTx is the time for which a transaction reads before it lets waiting processes write.
	ShortTx = 100 * time.Millisecond
	// ShortTxPause is longer than the interval at which a waiting writer polls the lock.
	ShortTxPause = 5 * time.Millisecond
)
