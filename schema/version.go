package schema

// Versions are append-only numbers, pinned by tests.
const (
	// FormatVersion is the newest layout of the store file that this program
	// knows. It reads every version up to this one, and writes into a store the
	// lowest that what is in it needs.
	FormatVersion = 11

	// NumericsVersion is the newest version of the computation itself. A spec names its version,
	// so that changing it makes new run IDs rather than different results under old ones. This
	// program computes every version up to this one.
	NumericsVersion = 2

	// DefaultNumerics is the version of new runs.
	DefaultNumerics = 2
)

// IsComputable reports whether this program computes a numerics version.
func IsComputable(numerics uint64) bool { return numerics >= 1 && numerics <= NumericsVersion }
