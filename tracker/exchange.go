package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/fileinfo"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// ErrReplaced means that the store's file was replaced or written to while it was copied.
var ErrReplaced = errors.New("the file was changed or replaced while it was copied")

// An Exchange is a store's file that a new one is about to replace. Until it is closed, other processes can
// read the file; writers wait, and continue in the new file.
type Exchange struct {
	fileHandle
	Tx     *Tx   // nil if the file cannot be read as a store
	Damage error // [ErrNotStore] or [ErrDamaged] if Tx is nil or leases are damaged
}

// BeginExchange begins an exchange unless a living process works on one of the store's runs: the exchange would
// lose the results that this process has not committed yet. Then the error is a [*HeldError].
func (s *Store) BeginExchange(ctx context.Context) (*Exchange, error) {
	if !filelock.TakesLock {
		return nil, schema.Hint(fmt.Errorf("%w on this system: other processes could not notice that the file was replaced",
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
			continue // damaged, like one that cannot be read: no commit can use it
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

// Replace puts the finished file at temp in the place of the store's. It returns [ErrReplaced] if that has changed
// since the exchange began. Other processes are locked out only for this. before, if not nil, is called when they are.
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

// checkUnchanged returns [ErrReplaced] unless the path still names this file, without new commits.
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
		return schema.Hint(ErrReplaced, "check which file has the store's name now, and try again")
	}
	return nil
}

// FollowLinks returns a Store for the path without symbolic links.
func (s *Store) FollowLinks() (*Store, error) {
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return nil, s.pathError(err)
	}
	return New(path, s.opts), nil
}

// RefuseLinks returns an error if the file has more than own names (hard links): users of the others would continue
// with the old content, of which what says why it is old.
func (e *Exchange) RefuseLinks(own uint64, what string) error {
	info, err := e.file.Stat()
	if err != nil {
		return err
	}
	if n := fileinfo.CountLinks(info); n > own {
		return schema.Hint(fmt.Errorf("the file has %d names (hard links): %w: the others would keep the %s content", n,
			ErrInvalid, what), "remove the other names first, and make symbolic links of them")
	}
	return nil
}

// File returns the store's file.
func (e *Exchange) File() *os.File { return e.file }

// IsCurrent reports whether the path still names the store's file.
func (e *Exchange) IsCurrent() (bool, error) { return e.store.isCurrent(e.file) }

// Close lets other processes write again.
func (e *Exchange) Close() { e.close() }
