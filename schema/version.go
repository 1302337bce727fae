package schema

// Versions are append-only numbers, pinned by tests.
const (
	// FormatVersion is the newest layout of the store file that this program
	// knows. It reads every version up to this one, and writes into a store the
	// lowest that what is in it needs.
	FormatVersion = 6

	// NumericsVersion is the version of the computation itself. It is part of every spec, so
	// that changing it makes new run IDs rather than different results under old ones.
	NumericsVersion = 1
)
