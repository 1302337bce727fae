package replay

import (
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// IsDamage reports whether err means that a record is missing, damaged or malformed.
func IsDamage(err error) bool {
	for _, kind := range []error{tracker.ErrDamaged, tracker.ErrMissing, schema.ErrMalformed, schema.ErrTruncated,
		schema.ErrOversized, schema.ErrNotCanonical, schema.ErrVersion} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// isUnavailable reports whether err means that a record is damaged, missing or pruned.
func isUnavailable(err error) bool { return IsDamage(err) || errors.Is(err, tracker.ErrPruned) }
