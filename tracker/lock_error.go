package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// lockedError reports that the file's lock could not be taken in time or, if cause is not nil,
// because of cause.
func (s *Store) lockedError(cause error) error {
	err := fmt.Errorf("store %s is %w by another process for %v", s.path, ErrLocked, s.opts.Wait)
	if cause != nil {
		err = fmt.Errorf("store %s is %w by another process: %w", s.path, ErrLocked, cause)
	}
	return schema.Advise(err, AdviceWait)
}
