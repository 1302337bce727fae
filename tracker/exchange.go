package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// heldPoll is the interval at which an exchange looks whether runs are still worked on.
const heldPoll = time.Second

// ErrReplaced reports that another file has replaced the store's, or that it was written to, while it was
// copied.
var ErrReplaced = errors.New("the file was changed or replaced meanwhile")

// An Exchange is a store's file that a new one is about to replace. Until it is closed others can read
// the file; those who want to write wait, and continue in the new file.
type Exchange struct {
	fileHandle
	Tx     *Tx   // nil if the file cannot be read as a store
	Damage error // an [ErrNotStore] or [ErrDamaged] if it cannot be, or if leases are damaged
}

// BeginExchange begins an exchange unless a living process works on one of the store's runs: nothing that
// it has not committed yet may be lost to it. Then the error is a [*HeldError]; if held is not nil, it
// is called with that error and the exchange begins when nobody works on a run any more.
func (s *Store) BeginExchange(ctx context.Context, held func(error)) (*Exchange, error) {
	for {
		x, err := s.tryExchange(ctx)
		var worked *HeldError
		if held == nil || !errors.As(err, &worked) {
			return x, err
		}
		held(err)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(heldPoll):
		}
	}
}

func (s *Store) tryExchange(ctx context.Context) (*Exchange, error) {
	if !filelock.CanReplace {
		return nil, schema.Advise(fmt.Errorf("%w on this system: others could not tell that the file was replaced",
			ErrInvalid), AdviceMerge, s.path)
	}
	f, err := s.lockFile(ctx, filelock.ToCopy)
	if err != nil {
		return nil, err
	}
	x := &Exchange{fileHandle: fileHandle{store: s, file: f}}
	err = x.begin(ctx)
	if errors.Is(err, ErrNotStore) || errors.Is(err, ErrDamaged) {
		x.Damage, err = err, nil
	}
	if err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

func (e *Exchange) begin(ctx context.Context) (err error) {
	if e.pages, err = e.store.preflight(e.file, false); err != nil {
		return err
	}
	return e.store.RecoverDamage(func() error {
		if e.Tx, err = e.store.beginTx(ctx, &e.fileHandle); err != nil {
			return err
		}
		return e.Tx.checkNoneHeld()
	})
}

// checkNoneHeld returns a [*HeldError] if the lease of any run is live.
func (t *Tx) checkNoneHeld() error {
	for _, key := range t.rows.Keys(rows.BucketLeases, nil) {
		if len(key) != len(schema.Digest{}) {
			continue // damaged, as one that cannot be read: nobody can commit by it
		}
		id := schema.Digest(key)
		l, err := t.ReadLease(id)
		if err == nil {
			err = t.CheckNotHeld(id, l)
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			return err
		}
	}
	return nil
}

// Replace puts the finished file at temp in the place of the store's, and ends with an [ErrReplaced] if
// that is not what it was when the exchange began. Others are locked out only for this. before is
// called when they are; it may be nil.
func (e *Exchange) Replace(ctx context.Context, temp string, before func() error) error {
	s := e.store
	if err := s.lock(ctx, e.file, filelock.Exclusive, s.newLockWait()); err != nil {
		return err
	}
	if err := e.checkUnchanged(); err != nil {
		return err
	}
	if before != nil {
		if err := before(); err != nil {
			return err
		}
	}
	if err := os.Rename(temp, s.path); err != nil {
		return err
	}
	fault.At("compact.renamed")
	if err := tempfile.SyncDir(filepath.Dir(s.path)); err != nil {
		return err
	}
	fault.At("compact.synced")
	return nil
}

// checkUnchanged returns an [ErrReplaced] unless the path still means this file, and nobody has committed to
// it. A commit that is not the last one that the file's pages show was lost before the exchange began.
func (e *Exchange) checkUnchanged() error {
	current, err := e.store.isCurrent(e.file)
	if err == nil && current && e.pages != nil {
		var info os.FileInfo
		if info, err = e.file.Stat(); err != nil {
			return err
		}
		var now *pages.File
		if now, err = pages.Open(e.file, info.Size()); err == nil {
			current = now.Txid == e.pages.Txid
		}
	}
	if err != nil {
		return err
	}
	if !current {
		return schema.Hint(ErrReplaced, "check which file is there now, and try again")
	}
	return nil
}

// FollowLinks returns a Store for the file to which symbolic links lead, if there are any.
func (s *Store) FollowLinks() (*Store, error) {
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return nil, s.pathError(err)
	}
	return New(path, s.opts), nil
}

// File returns the store's file.
func (e *Exchange) File() *os.File { return e.file }

// IsCurrent reports whether the path still means the store's file.
func (e *Exchange) IsCurrent() (bool, error) { return e.store.isCurrent(e.file) }

// Close lets others write again.
func (e *Exchange) Close() { e.close() }
