// Package portion has the sizes of the portions in which long work on a store is done. They
// bound memory and how long others wait, and no result depends on them. They are variables because a test lowers
// them, to see that; nothing else sets them.
package portion

import "time"

// Sizes in bytes.
var (
	Staged int64 = 16 << 20 // work of one run at which a checkpoint is due, and about what a pass reads at once
	Sealed int64 = 32 << 20 // work of all runs at which sealing commits
	Read   int64 = 16 << 20 // records that a transaction reads and a long operation keeps in memory
	MinTx  int64 = 3 << 20  // a writing transaction: less would hardly be faster, since opening and syncing take time
	MaxTx  int64 = 6 << 20  // more would take too much memory, since bbolt keeps all pages that it touches
	Cached int64 = 4 << 20  // pages of a file in memory
	Piece        = 1 << 20  // of an excerpt, read before the context is looked at again
)

// Numbers.
var (
	SealedRows    = 8192    // records of all runs at which sealing commits
	Retentions    = 1000    // runs whose retentions one transaction sets
	RunsPerWorker = 256     // runs from which another goroutine pays off
	Examined      = 1 << 18 // records whose use a removal determines at once
	Usage         = 1 << 20 // records counted at once, in about 100 MB: the rows of more are read several times

	// Group is the runs that a merge surveys and compares at once. Both are done in the order of IDs, which is
	// that of the rows: the more runs, the fewer pages are read for each of them.
	Group = 2048

	// LookedUp is the records whose places a merge looks up at once, at about 150 bytes each. Digests come in no
	// order: the more records, the fewer pages of the index are read for each of them.
	LookedUp = 1 << 16

	// Compared is about the records of its target that a merge verifies at once. In the order of their places many
	// of them share a page.
	Compared = 1 << 14

	Remembered = 1 << 16 // verified records, at about 150 bytes each
)

const (
	// ShortTx is how long a transaction reads before it lets waiting processes write.
	ShortTx = 100 * time.Millisecond
	// ShortTxPause is longer than the interval at which a waiting writer polls the lock.
	ShortTxPause = 5 * time.Millisecond
)
