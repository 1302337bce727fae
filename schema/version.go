package schema

// Versions are append-only numbers, pinned by tests.
const (
	// FormatVersion is the layout of the store file that this program writes.
	// It reads every version up to this one.
	FormatVersion = 1

	// NumericsVersion is the definition of the computation itself. It enters
	// every spec, so a change of it makes new run IDs instead of different
	// results under old ones.
	NumericsVersion = 1
)
