package tracker

import (
	"cmp"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/fault"
)

// Options configures a [Store]. Zero values mean the defaults.
type Options struct {
	Wait        time.Duration // for the file's lock; 0 means 30 s
	Level       int           // of zstd, 1 (fastest) to 4 (smallest); 0 means 2. It affects no digest.
	CommitEvery time.Duration // time for which a writer groups its commits; 0 means 1 s
	Heartbeat   time.Duration // interval at which a writer refreshes its leases; 0 means 5 s
	LeaseAfter  time.Duration // age of a heartbeat at which its lease is stale; 0 means 30 s
	LookEvery   time.Duration // how often a [Follower] looks at the file; 0 means 0.5 s
	Warn        func(string)  // called once if the store's location is unsuitable; may be nil

	// OnCopied is called with the store's path when a writer begins to wait because another process compacts or
	// repairs the store; may be nil. That wait has no limit.
	OnCopied func(path string)

	// BeforeCommit is called before each commit, for tests; its error prevents the commit. May be nil.
	BeforeCommit func() error

	Now      func() time.Time                     // the clock; nil means time.Now
	OnUnlock func(write bool, held time.Duration) // called after each transaction, for measurements; may be nil
}

func (o Options) withDefaults() Options {
	commitEvery, leaseAfter, heartbeat := fault.Intervals()
	o.Wait = cmp.Or(o.Wait, 30*time.Second)
	o.Level = cmp.Or(o.Level, 2)
	o.CommitEvery = cmp.Or(o.CommitEvery, commitEvery, time.Second)
	o.Heartbeat = cmp.Or(o.Heartbeat, heartbeat, 5*time.Second)
	o.LeaseAfter = cmp.Or(o.LeaseAfter, leaseAfter, 30*time.Second)
	o.LookEvery = cmp.Or(o.LookEvery, 500*time.Millisecond)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// A Store is the path of a store and its options. It holds no file open, and is safe for concurrent use.
type Store struct {
	path      string
	opts      Options
	codec     func() (*codec.Codec, error)
	warn      sync.Once
	verified  atomic.Pointer[verifiedSnapshot] // nil if the structure was never verified
	locksHeld atomic.Int64                     // number of transactions that hold the file's lock
}

// New returns a Store for the path. It does not access the file.
func New(path string, o Options) *Store {
	o = o.withDefaults()
	return &Store{
		path:  path,
		opts:  o,
		codec: sync.OnceValues(func() (*codec.Codec, error) { return codec.New(o.Level) }),
	}
}

func (s *Store) checkPath() error {
	if s == nil || s.path == "" {
		return schema.Hint(errors.New("a store without a path"), "name its file")
	}
	return nil
}

// Path returns the store's path.
func (s *Store) Path() string { return s.path }

// Options returns the options of the store, with defaults for those that were not given.
func (s *Store) Options() Options { return s.opts }

// Now returns the time by the store's clock.
func (s *Store) Now() time.Time { return s.opts.Now() }

// SameFile reports whether two stores have the same file, even under different paths.
func SameFile(a, b *Store) bool {
	x, err := os.Stat(a.path)
	if err != nil {
		return false
	}
	y, err := os.Stat(b.path)
	return err == nil && os.SameFile(x, y)
}

// Codec returns the codec of the store's records.
func (s *Store) Codec() (*codec.Codec, error) { return s.codec() }

// A verifiedSnapshot is a state of a file whose structure was verified.
type verifiedSnapshot struct {
	info os.FileInfo
	txid uint64
}
