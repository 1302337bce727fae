package tracker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// Options tune a store. The zero value is what users get.
type Options struct {
	Wait        time.Duration // for the file's lock; 0 means 30 s
	Level       int           // of zstd, 1 (fastest) to 4 (smallest); 0 means 2. It is in no digest.
	CommitEvery time.Duration // how long a writer groups its commits; 0 means 1 s
	Heartbeat   time.Duration // how often a writer refreshes its leases; 0 means 5 s
	LeaseAfter  time.Duration // age of a heartbeat at which its lease is stale; 0 means 30 s
	Warn        func(string)  // is told once what makes the place a bad one for a store; may be nil
}

func (o Options) withDefaults() Options {
	o = hurry(o)
	o.Wait = orDefault(o.Wait, 30*time.Second)
	o.Level = orDefault(o.Level, 2)
	o.CommitEvery = orDefault(o.CommitEvery, time.Second)
	o.Heartbeat = orDefault(o.Heartbeat, 5*time.Second)
	o.LeaseAfter = orDefault(o.LeaseAfter, 30*time.Second)
	return o
}

func orDefault[T comparable](v, standard T) T {
	var zero T
	if v == zero {
		return standard
	}
	return v
}

// Store is a path and how to use what is there. It holds nothing open, and any
// number of goroutines may use it.
type Store struct {
	path  string
	opts  Options
	now   func() time.Time
	codec func() (*codec, error)
	warn  sync.Once
	sound atomic.Pointer[soundness] // as it was last walked, nil for never
}

// New touches nothing.
func New(path string, o Options) *Store {
	o = o.withDefaults()
	return &Store{
		path:  path,
		opts:  o,
		now:   time.Now,
		codec: sync.OnceValues(func() (*codec, error) { return newCodec(o.Level) }),
	}
}

// Path is where the store is.
func (s *Store) Path() string { return s.path }

// View runs fn in a transaction that reads. It needs no right to write, neither
// to the file nor to its folder. Other readers go on, writers wait.
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error {
	return s.transact(ctx, false, fn)
}

// Update runs fn in the only transaction at that moment, and commits unless fn
// returns an error. When it returns nil, what fn did is on the disk. fn runs
// once. Update never creates a file.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.transact(ctx, true, fn)
}

// transact opens, works and closes.
func (s *Store) transact(ctx context.Context, write bool, fn func(*Tx) error) error {
	o, err := s.open(ctx, write)
	if err != nil {
		return err
	}
	defer o.close()
	if write {
		fault("update.open")
	}
	var tx *Tx
	err = s.guard(func() (err error) {
		tx, err = s.begin(o)
		return err
	})
	if err != nil {
		return s.beyondOpening(err)
	}
	if err := s.guard(func() error { return fn(tx) }); err != nil || !write {
		return err
	}
	fault("update.change")
	if err := s.guard(o.tx.Commit); err != nil {
		return notCommitted(s.path, err)
	}
	fault("update.commit")
	return nil
}

// beyondOpening tells damage that keeps a store from being opened at all from
// damage that is found in it later.
func (s *Store) beyondOpening(err error) error {
	if errors.Is(err, ErrDamaged) {
		return beyondOpening(s.path, err.Error())
	}
	return err
}

// begin starts the transaction and checks that it is one of a podtrack store of
// a format that this program knows.
func (s *Store) begin(o *opened) (*Tx, error) {
	tx := &Tx{store: s, pages: o.pages, buckets: make(map[string]bucket, len(buckets))}
	open := o.reading
	if o.write {
		o.begun = true
		btx, err := o.db.Begin(true)
		if err != nil {
			return nil, fmt.Errorf("begin in %s: %w", s.path, err)
		}
		o.tx, tx.btx, open = btx, btx, o.writing
	}
	for i, name := range buckets {
		b, err := open(name)
		switch {
		case err != nil:
			return nil, err
		case b == nil:
			return nil, damaged("bucket %s", name)
		}
		if tx.buckets[name] = b; i == 0 {
			if err := tx.checkFormat(); err != nil {
				return nil, err
			}
		}
	}
	return tx, tx.openKeeps(open)
}

// openKeeps opens the bucket that a store has since something may be pruned in it.
func (t *Tx) openKeeps(open func(string) (bucket, error)) error {
	b, err := open(bucketKeeps)
	switch {
	case err != nil:
		return err
	case b != nil:
		t.buckets[bucketKeeps] = b
	case t.format >= formatPruned:
		return damaged("bucket %s", bucketKeeps)
	}
	return nil
}

// reading opens a bucket of a transaction that reads, nil where there is none.
func (o *opened) reading(name string) (bucket, error) {
	b, err := o.pages.Bucket(name)
	if err != nil {
		return nil, o.store.ofStructure(err)
	}
	if b == nil {
		return nil, nil
	}
	return reading{b}, nil
}

// writing opens a bucket of a transaction that writes, nil where there is none.
func (o *opened) writing(name string) (bucket, error) {
	b := o.tx.Bucket([]byte(name))
	if b == nil {
		return nil, nil
	}
	if name != bucketRecords {
		return writing{b}, nil
	}
	b.FillPercent = 1 // sequence keys are only ever appended
	before, err := o.pages.Bucket(name)
	if err != nil {
		return nil, o.store.ofStructure(err)
	}
	return probing{writing{b}, before}, nil
}

// checkFormat reads the only row whose bytes no later version may change.
func (t *Tx) checkFormat() error {
	row, ok, err := read[formatRow](t, bucketPodtrack, []byte(formatKey))
	switch {
	case err != nil:
		return err
	case !ok || row.Format == 0:
		return damaged("format version")
	case row.Format > schema.FormatVersion:
		return schema.Hint(fmt.Errorf("open %s: %w: its format is %d, this program knows 1 to %d",
			t.store.path, ErrNewer, row.Format, schema.FormatVersion), "upgrade podtrack")
	}
	t.format = row.Format
	return nil
}
