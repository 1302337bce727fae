package schema

import "fmt"

// Versions are append-only numbers, pinned by tests.
const (
	// FormatVersion is the newest layout of the store file that this program
	// knows. It reads every version up to this one, and writes into a store the
	// lowest that what is in it needs.
	FormatVersion = 11

	// NumericsVersion is the version of the computation itself. A spec names the version that makes
	// its runs, so that changing it makes new run IDs rather than different results under old ones.
	NumericsVersion = 2
)

// CheckNumerics returns [ErrSpec] for every numerics version but this program's.
func CheckNumerics(version uint64) error {
	if version == NumericsVersion {
		return nil
	}
	return Hint(fmt.Errorf("%w: numerics version %d", ErrSpec, version),
		"this program computes numerics version %d; use the podtrack that made the spec", NumericsVersion)
}
