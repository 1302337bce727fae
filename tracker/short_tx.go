package tracker

import (
	"context"
	"errors"
	"time"
)

const (
	// shortTxTime is how long a transaction reads before it lets waiting processes
	// write.
	shortTxTime = 100 * time.Millisecond
	// shortTxPause is longer than the interval at which a waiting writer polls the lock.
	shortTxPause = 5 * time.Millisecond
)

// ViewInShortTxs calls step until it reports that there is no more to do, in short reading
// transactions between which others can write. Damage that step finds, by an error or a panic, ends
// it.
func (s *Store) ViewInShortTxs(ctx context.Context, step func(*Tx) (more bool, err error)) error {
	for more := true; more; {
		err := s.View(ctx, func(tx *Tx) (err error) {
			for end := time.Now().Add(shortTxTime); more && err == nil && ctx.Err() == nil && time.Now().Before(end); {
				more, err = step(tx)
			}
			return errors.Join(err, ctx.Err())
		})
		if err != nil {
			return err
		}
		if more {
			time.Sleep(shortTxPause)
		}
	}
	return nil
}
