package tracker

import (
	"context"
	"errors"
	"time"
)

const (
	// turn is how long a transaction reads that others can wait for before it lets
	// them write.
	turn = 100 * time.Millisecond
	// pause is longer than a writer waits between two looks at the lock.
	pause = 5 * time.Millisecond
)

// turns calls step until it has no more to do, in one transaction after the
// other. What step panics with or fails with, as damage below, ends the turns.
func (s *Store) turns(ctx context.Context, step func(*Tx) (more bool, err error)) error {
	for more := true; more; {
		err := s.View(ctx, func(tx *Tx) (err error) {
			for end := time.Now().Add(turn); more && err == nil && ctx.Err() == nil && time.Now().Before(end); {
				more, err = step(tx)
			}
			return errors.Join(err, ctx.Err())
		})
		if err != nil {
			return err
		}
		if more {
			time.Sleep(pause)
		}
	}
	return nil
}
