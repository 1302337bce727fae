package schema

import "fmt"

// Version is the version of podtrack. Between releases it ends in "-dev".
const Version = "1.0.0"

// Versions are numbers that only grow, pinned by tests.
const (
	// FormatVersion is the layout of the store file. A store of another version is refused.
	FormatVersion = 12

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
