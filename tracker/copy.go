package tracker

import (
	"context"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/schema"
)

// Copying says what is copied.
type Copying struct {
	Runs []schema.Digest // in this order; nil stands for all, the oldest first
	Vet  func(Run) error // refuses a run for what this package cannot judge; may be nil

	Show func(done, total int) // is told how many runs were gone through; may be nil
}

// Copy copies runs from one store into another, which must be there: records
// and iterations with their costs, sessions, and what is said of them, but no
// checkpoint and no lease. Records are copied as they are stored.
//
// All of a run is proved before any of it is written: its row, its chain, and of
// each record the digest and the kind. What is wrong with one run, or what keeps
// it from being written to, is its outcome; the others go on. An error is of
// more than one run; then the runs returned are those of which all is settled.
//
// A transaction holds about maxStaged bytes, and one of the two stores is open
// at a time. Whatever transaction is the last one, another copy completes it.
func Copy(ctx context.Context, from, to *Store, o Copying) (Copied, error) {
	if Same(from, to) {
		return Copied{}, schema.Hint(fmt.Errorf("copy runs from %s: %w: it is the same file as %s", from.path, ErrInvalid, to.path), "name another store")
	}
	c := &copier{from: from, to: to, vet: o.Vet, show: o.Show, proofs: newProofs()}
	err := c.all(ctx, o.Runs)
	return c.result(), err
}

// Same reports whether two stores are one file, by whatever path.
func Same(a, b *Store) bool {
	x, err := os.Stat(a.path)
	if err != nil {
		return false
	}
	y, err := os.Stat(b.path)
	return err == nil && os.SameFile(x, y)
}

// copier is a copy under way.
type copier struct {
	from, to *Store
	vet      func(Run) error
	show     func(done, total int)
	proofs   *proofs

	runs    []*CopiedRun
	records int
	bytes   int64

	waiting []*parcel // for the next transaction
	size    int64     // of those
}

func (c *copier) result() Copied {
	done := Copied{Runs: []CopiedRun{}, Records: c.records, Bytes: c.bytes}
	for _, r := range c.runs {
		if r.settled {
			done.Runs = append(done.Runs, *r)
		}
	}
	return done
}

func (c *copier) all(ctx context.Context, ids []schema.Digest) (err error) {
	if ids == nil {
		if ids, err = c.oldestFirst(ctx); err != nil {
			return err
		}
	}
	for i, id := range ids {
		r := &CopiedRun{Run: id}
		c.runs = append(c.runs, r)
		if err := r.give(c.run(ctx, r)); err != nil {
			return err
		}
		if c.show != nil {
			c.show(i+1, len(ids))
		}
	}
	return c.flush(ctx)
}

// oldestFirst are the runs of the other store, each of them once. A row that
// cannot be read stands for a run that is refused.
func (c *copier) oldestFirst(ctx context.Context) (ids []schema.Digest, err error) {
	seen := map[schema.Digest]bool{}
	err = c.from.View(ctx, func(tx *Tx) error {
		for key, row := range tx.within(bucketOrder, nil) {
			id, err := decodeRef(bucketOrder, key, row)
			if err != nil {
				r := &CopiedRun{}
				c.runs = append(c.runs, r)
				_ = r.give(refused(-1, nil, err)) // a flaw is of the run alone
			} else if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
		return nil
	})
	return ids, err
}
