package rows

// BatchBytes is about how many bytes of records a long operation reads in one transaction and keeps
// in memory.
const BatchBytes = 16 << 20

// Approximate sizes of rows.
const (
	EntryBytes = 48           // of an entry of an iteration
	RowBytes   = 128          // of an iteration and its cost, keys and checksums
	RunBytes   = 7 * RowBytes // of a run, whose metadata is in as many buckets
)
