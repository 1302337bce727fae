package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/podtrack/podtrack/internal/fault"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// BeginRepair copies everything valid in the store's file to a new store. If the file's structure is
// intact, others use it meanwhile and afterwards, and [Repair.Replace] takes over what they commit.
// Otherwise nobody can commit to it, and it is locked until the repair is closed.
func (s *Store) BeginRepair(ctx context.Context) (*Repair, error) {
	if !filelock.CanReplace {
		return nil, schema.Hint(fmt.Errorf("repair %s: %w on this system: others could not tell that the file was "+
			"replaced", s.path, ErrInvalid),
			"repair a copy of the file on Linux or macOS")
	}
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return nil, s.pathError(err)
	}
	if err := checkWritable(path); err != nil { // fail before anything is computed
		return nil, s.pathError(err)
	}
	at := New(path, s.opts) // the file itself, not a link to it
	at.now = s.now
	r := &Repair{store: at}
	err = r.salvageSnapshot(ctx)
	if errors.Is(err, ErrNotStore) || errors.Is(err, ErrDamaged) {
		r.Close()
		r = &Repair{store: at}
		err = r.salvageLocked(ctx)
	}
	if err == nil {
		r.Leftovers = tempfile.Reclaim(path) // the file is now known to be a store
		return r, nil
	}
	r.Close()
	return nil, r.wrapError(err)
}

func (r *Repair) wrapError(err error) error {
	err = fmt.Errorf("repair %s: %w", r.store.path, err)
	if errors.Is(err, ErrNotStore) {
		err = schema.Hint(err, "name a store that podtrack made; nothing in this file was changed")
	}
	return err
}

// salvageSnapshot copies everything valid to a new store while others use the file. The error is an
// [ErrNotStore] or [ErrDamaged] if the file's structure is damaged.
func (r *Repair) salvageSnapshot(ctx context.Context) error {
	err := r.store.View(ctx, func(tx *Tx) error {
		if tx.rows.Pages.HasLostCommit() {
			return storeerr.Damaged("a meta page") // nobody should commit before the lost commit was looked for
		}
		return r.store.requireIntact(tx.rows.Pages)
	})
	if err != nil {
		return err
	}
	info, err := os.Stat(r.store.path)
	if err != nil {
		return r.store.pathError(err)
	}
	if err := r.beginNew(ctx, info); err != nil {
		return err
	}
	if r.snapshot, err = newRepairSnapshot(r.store); err != nil {
		return err
	}
	if err := r.snapshot.update(ctx); err != nil {
		return err
	}
	r.snapshot.noteChanges()
	return r.salvageRows(ctx)
}

// salvageRows takes the snapshot's rows, the records that they name, and from the store's pages what
// may be missing then.
func (r *Repair) salvageRows(ctx context.Context) error {
	file, err := os.Open(r.snapshot.temp.ContentPath())
	if err != nil {
		return err
	}
	defer file.Close()
	s := r.salvager
	if err := s.readTree(ctx, file); err != nil {
		return err
	}
	if err := s.takePlaces(s.indexedPlaces(), r.shortTxs(ctx)); err != nil {
		return err
	}
	return s.complete(r.snapshot.copy.file)
}

// salvageLocked reads a file that cannot be opened as a store, or whose last commit may be lost.
func (r *Repair) salvageLocked(ctx context.Context) (err error) {
	if r.file, err = r.store.lockFile(ctx, true); err != nil {
		return err
	}
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	if err := r.beginNew(ctx, info); err != nil {
		return err
	}
	return r.salvager.salvageFile(ctx, r.file)
}

// Replace puts the new store in the place of the old file, and returns the name under which the old
// file stays.
//
// Before that, it copies what other processes committed since the old file was read. It does so in
// several passes, during which they can continue to commit; only for the last pass it holds the lock
// that keeps them out. After a pass, the new store may lack some of what was committed for a run. Then
// Replace calls recompute with such runs, which should add to the new store what it can compute again.
// A nil recompute adds nothing.
//
// If Replace fails, the old file keeps its name, unless the new one had already taken its place.
func (r *Repair) Replace(ctx context.Context, recompute func(runs []schema.Digest) error) (old string, err error) {
	if r.snapshot == nil {
		old, err = r.replaceLocked(r.file)
	} else {
		old, err = r.followAndReplace(ctx, recompute)
	}
	if err != nil {
		return "", fmt.Errorf("repair %s: %w", r.store.path, r.store.wrapOpenError(err))
	}
	return old, nil
}

func (r *Repair) followAndReplace(ctx context.Context, recompute func([]schema.Digest) error) (old string, err error) {
	for range maxAttempts {
		if err := r.follow(ctx, recompute); err != nil {
			return "", err
		}
		fault.At("repair.followed")
		if old, err = r.replaceFollowed(ctx); !errors.Is(err, ErrReplaced) {
			break
		}
		r.snapshot.copy.restart()
	}
	return old, err
}

// replaceFollowed takes over the last commits and replaces the file, while nobody else has it open.
func (r *Repair) replaceFollowed(ctx context.Context) (old string, err error) {
	o, err := r.store.openExclusive(ctx)
	if err != nil {
		return "", err
	}
	begin := time.Now()
	defer func() { o.close(); r.held = time.Since(begin) }()
	err = r.store.RecoverDamage(func() error {
		tx, err := r.store.beginTx(ctx, o)
		if err != nil {
			return err
		}
		return r.followLast(ctx, tx)
	})
	if err != nil {
		return "", err
	}
	return r.replaceLocked(o.file)
}

// replaceLocked replaces a file that nobody else can use.
func (r *Repair) replaceLocked(file *os.File) (old string, err error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if _, err := finishFile(r.temp.ContentPath(), info, true); err != nil {
		return "", err
	}
	fault.At("repair.finished")
	if old, err = r.linkDamaged(info); err != nil {
		return "", schema.Hint(fmt.Errorf("keep the damaged file: %w", err),
			"repair needs a folder in which it may make files")
	}
	fault.At("repair.link")
	if err = r.store.replaceFile(file, r.temp.ContentPath()); err != nil {
		if mine, _ := r.store.isCurrent(file); mine {
			_ = os.Remove(old)
		}
		return "", err
	}
	return old, nil
}

// linkDamaged gives the damaged file another name, synced before the first name is replaced. A
// killed repair may have done so already.
func (r *Repair) linkDamaged(file os.FileInfo) (old string, err error) {
	for n := 0; ; n++ {
		old = damagedName(r.store.path, n)
		if err = os.Link(r.store.path, old); !errors.Is(err, os.ErrExist) {
			break
		}
		if there, err := os.Lstat(old); err == nil && os.SameFile(there, file) {
			break
		}
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	if err := tempfile.SyncDir(filepath.Dir(old)); err != nil {
		_ = os.Remove(old)
		return "", err
	}
	return old, nil
}

// Close lets others use the store again, and removes the new store unless it was put in place.
func (r *Repair) Close() {
	if r.snapshot != nil {
		r.snapshot.close()
	}
	if r.temp != nil {
		_ = r.temp.Remove()
	}
	if r.file != nil {
		filelock.Unlock(r.file)
		_ = r.file.Close()
	}
}
