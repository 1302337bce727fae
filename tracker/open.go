package tracker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/internal/newfile"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// fileGrowth is the number of bytes by which the file grows beyond what a commit needs. bbolt's
// default of 16 MiB exceeds most stores.
const fileGrowth = 64 << 10

// A fileHandle is an open file with at most one transaction.
type fileHandle struct {
	store       *Store
	write       bool
	lockedAt    time.Time // when the lock was taken, zero before
	file        *os.File  // db's own if db is not nil, kept in case damage keeps db from closing it
	pages       *pages.File
	db          *bbolt.DB // nil for reading
	txRequested bool      // a bbolt transaction was requested
	tx          *bbolt.Tx
}

// openForTx opens the store's file for a transaction that adds about growth bytes. It is the only way to the
// file: open, lock, check that the path still names this file, check the file, and only then pass it to bbolt
// if it is for writing. Reading does not need bbolt, which would map the whole file.
func (s *Store) openForTx(ctx context.Context, write bool, growth int64) (o *fileHandle, err error) {
	if err := s.checkPath(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open %s: %w", s.path, err)
	}
	o = &fileHandle{store: s, write: write}
	defer func() {
		if err != nil {
			o.close()
		}
	}()
	if !write && filelock.TakesLock {
		o.file, o.pages, err = s.openFile(ctx, write)
		o.noteLocked()
		return o, s.WrapOpenError(err)
	}
	return o, s.WrapOpenError(s.RecoverDamage(func() (err error) {
		o.db, err = bbolt.Open(s.path, 0, &bbolt.Options{
			ReadOnly:     !write,
			Timeout:      s.opts.Wait, // used only if lock leaves locking to bbolt
			NoStatistics: true,

			InitialMmapSize: s.initialMapSize(growth),
			OpenFile: func(path string, _ int, _ os.FileMode) (*os.File, error) {
				var err error
				o.file, o.pages, err = s.openFile(ctx, write)
				o.noteLocked()
				return o.file, err
			},
		})
		if err == nil && !filelock.TakesLock {
			o.pages, err = s.preflight(o.file, write) // pages read before the lock can be out of date
		}
		if err == nil {
			o.db.AllocSize = fileGrowth
		}
		return s.openError(err)
	}))
}

// initialMapSize returns the number of bytes to map initially for a transaction that adds growth bytes. bbolt
// maps at least the whole file.
func (s *Store) initialMapSize(growth int64) int {
	info, err := os.Stat(s.path)
	if err != nil || !filelock.TakesLock {
		return 0
	}
	return int(min(info.Size()+growth, maxMapSize))
}

// maxMapSize is the largest size of the initial mapping in bytes. At that size bbolt itself enlarges the
// mapping in large steps.
const maxMapSize = 1 << 30

// openError translates bbolt's own errors. Errors of the OpenFile hook pass unchanged.
func (s *Store) openError(err error) error {
	switch {
	case errors.Is(err, bbolterrors.ErrInvalid), errors.Is(err, bbolterrors.ErrVersionMismatch),
		errors.Is(err, bbolterrors.ErrChecksum):
		return notStoreError(s.path, err.Error())
	case errors.Is(err, bbolterrors.ErrTimeout):
		return s.lockedError(nil, nil)
	}
	return err
}

// openFile opens and locks the file that the path names, and returns it with its pages.
func (s *Store) openFile(ctx context.Context, write bool) (*os.File, *pages.File, error) {
	mode := filelock.Shared
	if write {
		mode = filelock.Exclusive
	}
	f, err := s.lockFile(ctx, mode)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.preflight(f, write)
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, p, nil
}

// lockFile opens and locks the file that the path names, whatever it contains. It does so again if the path names
// another file after the lock was taken: a compaction renames a new file over the old one.
func (s *Store) lockFile(ctx context.Context, mode filelock.Mode) (*os.File, error) {
	for wait := s.newLockWait(); ; {
		f, err := s.openRegular(mode)
		if err != nil {
			return nil, err
		}
		s.warnIfRemote(f)
		current := false
		if err = s.lock(ctx, f, mode, wait); err == nil {
			current, err = s.isCurrent(f)
		}
		if err == nil && current {
			return f, nil
		}
		_ = f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// warnIfRemote warns once if the file is on a network file system, where locks and mappings may not work.
func (s *Store) warnIfRemote(f *os.File) {
	if name, err := filelock.NetworkFileSystem(f); s.opts.Warn != nil && err == nil && name != "" {
		s.warn.Do(func() {
			s.opts.Warn(fmt.Sprintf("%s is on a network file system (%s), where locks may not work and other "+
				"machines may not see each other's writes", s.path, name))
		})
	}
}

// openRegular opens a regular file. Opening a pipe would block.
func (s *Store) openRegular(mode filelock.Mode) (*os.File, error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return nil, s.pathError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, notStoreError(s.path, "not a regular file")
	}
	flag := os.O_RDONLY
	if mode != filelock.Shared {
		flag = os.O_RDWR
	}
	f, err := os.OpenFile(s.path, flag, 0)
	if err != nil {
		return nil, s.pathError(err)
	}
	return f, nil
}

func (s *Store) isCurrent(f *os.File) (bool, error) {
	there, err := os.Stat(s.path)
	if err != nil {
		return false, s.pathError(err)
	}
	here, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("open %s: %w", s.path, err)
	}
	return os.SameFile(there, here), nil
}

func (s *Store) pathError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return schema.Hint(fmt.Errorf("open %s: %w", s.path, ErrNoStore), AdviceNoStore)
	}
	return schema.Hint(fmt.Errorf("open store: %w", err),
		"check its permissions; a store that cannot be written to can still be listed, shown and replayed")
}

// noteLocked records when the file's lock was taken, if the file was opened.
func (f *fileHandle) noteLocked() {
	if f.file != nil {
		f.lockedAt = time.Now()
		f.store.locksHeld.Add(1)
	}
}

// close closes the file and ends its transaction. If damage keeps bbolt from ending its own transaction, bbolt's Close
// would wait forever; then the file is unlocked and closed without it, and only the mapping remains.
func (f *fileHandle) close() {
	if f.tx != nil && f.tx.DB() != nil {
		_ = f.store.RecoverDamage(f.tx.Rollback)
	}
	ended := !f.txRequested || f.tx != nil && f.tx.DB() == nil
	switch {
	case f.db != nil && ended:
		_ = f.db.Close()
	case f.file != nil:
		filelock.Unlock(f.file)
		_ = f.file.Close()
	}
	if f.lockedAt.IsZero() {
		return
	}
	f.store.locksHeld.Add(-1)
	if f.store.opts.OnUnlock != nil {
		f.store.opts.OnUnlock(f.write, time.Since(f.lockedAt))
	}
}

// WrapOpenError turns damage into [ErrNotStore]: the store cannot be opened at all.
func (s *Store) WrapOpenError(err error) error {
	if errors.Is(err, ErrDamaged) {
		return unopenableError(s.path, err.Error())
	}
	return err
}

// preflight rejects files that bbolt must not see: bbolt makes a database of an empty file, reads beyond the end of a
// truncated one, and hangs, faults or destroys data if the structure is damaged. Reading does not use bbolt and checks
// the pages that it reads, so only writing checks the structure in advance.
func (s *Store) preflight(f *os.File, write bool) (*pages.File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", s.path, err)
	}
	if info.Size() == 0 {
		return nil, notStoreError(s.path, "the file is empty")
	}
	file, err := pages.Open(f, info.Size())
	if err == nil {
		err = s.requireStore(file)
	}
	if err == nil && write && !s.isVerified(file, info) {
		if err = checkStructure(file); err == nil {
			s.verified.Store(&verifiedSnapshot{info: info, txid: file.Txid})
		}
	}
	var d *pages.Damage
	switch {
	case errors.As(err, &d):
		return nil, unopenableError(s.path, d.Error())
	case errors.Is(err, pages.ErrNoMetaPage):
		if _, err := pages.GuessPageSize(f, info.Size()); err == nil {
			return nil, unopenableError(s.path, "no valid meta page")
		}
		return nil, notStoreError(s.path, "no valid meta page")
	case errors.Is(err, ErrNotStore), err == nil:
		return file, err
	}
	return nil, fmt.Errorf("read %s: %w", s.path, err)
}

func (s *Store) requireStore(file *pages.File) error {
	b, err := file.OpenBucket(rows.BucketPodtrack)
	if err == nil && b == nil {
		err = unopenableError(s.path, "its pages lead to nothing of podtrack: it is of another program, or was copied "+
			"while a store was written")
	}
	return err
}

// checkStructure checks the whole structure except the leaves of records, which package rows checks, and
// compares it with the freelist: a page in use that is listed as free would be overwritten.
func checkStructure(file *pages.File) error {
	return file.Traverse(pages.TraverseOptions{Shallow: []string{rows.BucketRecords}})
}

// RequireIntact checks the structure for callers that copy the store and replace its file. It
// refuses a damaged file: repair handles it and keeps the damaged file.
func (s *Store) RequireIntact(file *pages.File) error {
	err := checkStructure(file)
	if d, ok := errors.AsType[*pages.Damage](err); ok {
		return unopenableError(s.path, d.Error())
	}
	return err
}

// isVerified reports whether this store verified the file in this or an earlier state. Later
// commits are from processes that verified it too.
func (s *Store) isVerified(file *pages.File, info os.FileInfo) bool {
	at := s.verified.Load()
	return at != nil && os.SameFile(at.info, info) && file.Txid >= at.txid
}

// Create creates an empty store unless one exists; if the path is a symbolic link, at the target of the link.
// If several processes create it at once, one of them succeeds and all find it: the file appears complete.
func (s *Store) Create(ctx context.Context) error {
	if err := s.checkPath(); err != nil {
		return err
	}
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		path, err := followLinks(s.path)
		if err == nil {
			err = createFile(path)
		}
		if err != nil {
			return s.createError(err)
		}
	}
	return s.View(ctx, func(*Tx) error { return nil })
}

// followLinks returns the target of symbolic links, which need not exist.
func followLinks(path string) (string, error) {
	for range maxLinks + 1 {
		target, err := os.Readlink(path)
		if err != nil { // no link
			return path, nil
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("more than %d symbolic links", maxLinks)
}

// maxLinks is the number of links that Linux follows.
const maxLinks = 40

func (s *Store) createError(err error) error {
	err = fmt.Errorf("create store %s: %w", s.path, err)
	if schema.Remedy(err) == "" {
		err = schema.Hint(err, "choose a place that can be written to and has room")
	}
	return err
}

// Initialize creates an empty store at a path that no other process knows, such as that of a [tempfile.Dir].
func (s *Store) Initialize() error {
	if err := newfile.Initialize(s.path, newMode); err != nil {
		return s.createError(err)
	}
	return nil
}

// createFile writes an empty store in a temporary folder, and links it to its path once it is synced. A
// rename would replace another creator's file.
func createFile(path string) error {
	temp, err := tempfile.New(path, "create")
	if err != nil {
		return err
	}
	defer temp.Remove()
	if err := newfile.Initialize(temp.ContentPath(), newMode); err != nil {
		return err
	}
	fault.At("create.temp")
	if err := os.Link(temp.ContentPath(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	fault.At("create.link")
	if err := temp.Remove(); err != nil { // before others see two names
		return err
	}
	fault.At("create.unlink")
	return tempfile.SyncDir(filepath.Dir(path))
}

const newMode = 0o666
