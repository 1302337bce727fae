package schema

// Versions are append-only numbers, pinned by tests.
const (
	// FormatVersion is the newest layout of the store file that this program
	// knows. It reads every version up to this one, and writes into a store the
	// lowest that what is in it needs.
	FormatVersion = 5

	// NumericsVersion is the definition of the computation itself. It enters
	// every spec, so a change of it makes new run IDs instead of different
	// results under old ones.
	NumericsVersion = 1
)
