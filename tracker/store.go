package tracker

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/podtrack/podtrack/tracker/internal/codec"
	"github.com/podtrack/podtrack/tracker/internal/fault"
)

// Options configures a [Store]. The zero value has the defaults.
type Options struct {
	Wait        time.Duration // for the file's lock; 0 means 30 s
	Level       int           // of zstd, 1 (fastest) to 4 (smallest); 0 means 2. It is in no digest.
	CommitEvery time.Duration // how long a writer groups its commits; 0 means 1 s
	Heartbeat   time.Duration // how often a writer refreshes its leases; 0 means 5 s
	LeaseAfter  time.Duration // age of a heartbeat at which its lease is stale; 0 means 30 s
	Warn        func(string)  // called once if the store's location is unsuitable; may be nil
}

func (o Options) withDefaults() Options {
	o.Wait = cmp.Or(o.Wait, 30*time.Second)
	o.Level = cmp.Or(o.Level, 2)
	o.CommitEvery = cmp.Or(o.CommitEvery, fault.CommitEvery(), time.Second)
	o.Heartbeat = cmp.Or(o.Heartbeat, fault.Heartbeat(), 5*time.Second)
	o.LeaseAfter = cmp.Or(o.LeaseAfter, fault.LeaseAfter(), 30*time.Second)
	return o
}

// A Store is the path of a store and how to use it. It holds nothing open, and any number of
// goroutines may use it.
type Store struct {
	path      string
	opts      Options
	now       func() time.Time
	codec     func() (*codec.Codec, error)
	warn      sync.Once
	verified  atomic.Pointer[verifiedSnapshot] // nil if the structure was never verified
	locksHeld atomic.Int64                     // number of transactions that hold the file's lock

	onUnlock func(write bool, held time.Duration) // called after each transaction; set only by benchmarks
}

// New returns a Store for the path. It does not access the file.
func New(path string, o Options) *Store {
	o = o.withDefaults()
	return &Store{
		path:  path,
		opts:  o,
		now:   time.Now,
		codec: sync.OnceValues(func() (*codec.Codec, error) { return codec.New(o.Level) }),
	}
}

// Path returns the store's path.
func (s *Store) Path() string { return s.path }

// View runs fn in a reading transaction. It needs no right to write to the file or its folder.
// Other readers continue, writers wait.
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error {
	return s.runTx(ctx, false, 0, fn)
}

// Update runs fn once in a transaction that excludes all others, and commits unless fn returns an
// error. When Update returns nil, the changes are on the disk. It never creates a file.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.runTx(ctx, true, 0, fn)
}

// updateSized runs fn like Update, for a transaction that adds about growth bytes. They are mapped
// from the beginning: otherwise bbolt maps the file anew whenever its size has doubled, and each
// time copies what the transaction has written.
func (s *Store) updateSized(ctx context.Context, growth int64, fn func(*Tx) error) error {
	return s.runTx(ctx, true, growth, fn)
}

// runTx opens the file, runs fn in a transaction and closes the file.
func (s *Store) runTx(ctx context.Context, write bool, growth int64, fn func(*Tx) error) error {
	o, err := s.openForTx(ctx, write, growth)
	if err != nil {
		return err
	}
	defer o.close()
	if write {
		fault.At("update.open")
	}
	var tx *Tx
	err = s.recoverDamage(func() (err error) {
		tx, err = s.beginTx(o)
		return err
	})
	if err != nil {
		return s.wrapOpenError(err)
	}
	if err := s.recoverDamage(func() error { return fn(tx) }); err != nil || !write {
		return err
	}
	fault.At("update.change")
	if err := s.recoverDamage(o.tx.Commit); err != nil {
		return commitError(s.path, err)
	}
	fault.At("update.commit")
	return nil
}

// wrapOpenError turns damage into an [ErrNotStore]: it keeps the store from being opened at all.
func (s *Store) wrapOpenError(err error) error {
	if errors.Is(err, ErrDamaged) {
		return unopenableError(s.path, err.Error())
	}
	return err
}
