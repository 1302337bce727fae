package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// lockedError says that the file's lock was not had, because of cause or, where
// that is nil, in time.
func (s *Store) lockedError(cause error) error {
	err := fmt.Errorf("store %s is %w by another process for %v", s.path, ErrLocked, s.opts.Wait)
	if cause != nil {
		err = fmt.Errorf("store %s is %w by another process: %w", s.path, ErrLocked, cause)
	}
	return schema.Hint(err, "try again when the other process is done with it, or wait for it longer: PODTRACK_WAIT=5m")
}
