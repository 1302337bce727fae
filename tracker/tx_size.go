package tracker

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// targetHold is how long a transaction of a long piece of work is to hold the store's
	// lock for itself. Others wait meanwhile.
	targetHold = 250 * time.Millisecond

	initialTxBytes = 3 << 20 // of the first transaction
	minTxBytes     = 3 << 20 // less would hardly be faster: to open and to sync takes its time
	maxTxBytes     = 6 << 20 // more would take too much memory: bbolt keeps what a transaction touches
	rowCost        = 4 << 10 // what a row counts in a batch beside its bytes: it may touch a page of its own
)

// txSizer bounds the transactions of one long piece of work, by what they cost on this
// disk: each is as large as the ones before say that a hold of holdGoal allows. Sizes
// are in bytes, and a row counts as rowWeight of them. The zero value is ready for use.
type txSizer struct{ size atomic.Int64 }

// limit is how much the next transaction may bring.
func (p *txSizer) limit() int64 {
	if size := p.size.Load(); size > 0 {
		return size
	}
	return initialTxBytes
}

// update runs a transaction that brings about so much, and notes how long it held the
// store. Room is made in the mapping for as much.
func (p *txSizer) update(ctx context.Context, s *Store, size int64, fn func(*Tx) error) error {
	var begun time.Time
	err := s.updateSized(ctx, 2*size, func(tx *Tx) error {
		begun = time.Now()
		return fn(tx)
	})
	if err == nil {
		p.learn(size, time.Since(begun))
	}
	return err
}

// learn learns from a transaction. One that was much smaller than the limit does not
// raise it.
func (p *txSizer) learn(size int64, held time.Duration) {
	limit := p.limit()
	switch fits := int64(float64(size) * float64(targetHold) / float64(max(held, time.Millisecond))); {
	case held > targetHold:
		limit = min(limit, max(fits, size/4))
	case size > limit/2:
		limit = max(limit, min(fits, 2*size))
	}
	p.size.Store(min(max(limit, minTxBytes), maxTxBytes))
}

// UpdateEach calls change for every item, in order, in as many transactions as keep
// each of them short. What a transaction has done is on the disk before the next one
// begins; an error, or a context that is done, undoes the last one alone.
func UpdateEach[T any](ctx context.Context, s *Store, items []T, change func(*Tx, T) error) error {
	var p txSizer
	for len(items) > 0 {
		n := min(len(items), int(p.limit()/rowCost))
		err := p.update(ctx, s, int64(n)*rowCost, func(tx *Tx) error {
			for _, item := range items[:n] {
				if err := change(tx, item); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}
