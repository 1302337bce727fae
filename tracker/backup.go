package tracker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/fault"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// BackupOptions configures [Store.Backup].
type BackupOptions struct {
	Force          bool                    // replace an existing file
	Progress       func(done, total int64) // called with the bytes copied; may be nil
	VerifyProgress func(done, total int)   // called with the records verified; may be nil
}

// BackupReport describes a finished backup.
type BackupReport struct {
	Backup  string `json:"backup"`
	Runs    int    `json:"runs"`
	Records int    `json:"records"` // number in the backup
	Stored  int64  `json:"stored"`  // bytes of the records as stored
	Read    int    `json:"read"`    // records that were verified: all that rows name
	Bytes   int64  `json:"bytes"`   // size of the file
	Resumed bool   `json:"resumed"` // an earlier attempt was continued
}

// Backup copies the store, in the state of some commit, to a file that is a store too, while others
// read and write. The copy has no leases, so none of its runs appears to be running. Every record
// of the copy is read and verified before the file gets its name.
//
// If the context or the process ends, the next attempt reuses what has been copied. Force replaces
// a regular file, also behind a symbolic link, and nothing else.
func (s *Store) Backup(ctx context.Context, path string, o BackupOptions) (BackupReport, error) {
	if SameFile(s, New(path, s.opts)) {
		return BackupReport{}, schema.Hint(fmt.Errorf("back up to %s: %w: it is the store itself", path, ErrInvalid),
			"choose another file, better on another disk")
	}
	if err := s.View(ctx, func(*Tx) error { return nil }); err != nil { // checks that it is a store
		return BackupReport{}, err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil && o.Force {
		path = target
	}
	if err := checkTargetFree(path, o.Force); err != nil {
		return BackupReport{}, s.backupError(path, err)
	}
	temp, resumed, err := tempfile.Resume(path, "backup")
	if err != nil {
		return BackupReport{}, s.backupError(path, err)
	}
	b := backup{Store: s, BackupOptions: o, temp: temp, path: path}
	done, err := b.run(ctx, resumed)
	if ctx.Err() == nil {
		_ = temp.Remove()
	}
	if err != nil {
		return BackupReport{}, s.backupError(path, err)
	}
	return done, nil
}

// checkTargetFree returns an error if something exists at path, unless it is a regular file and
// force is set: a rename would also replace a device, a pipe or a link.
func checkTargetFree(path string, force bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return schema.Hint(fmt.Errorf("%w: it is a folder", ErrInvalid), "name a file in it")
	case !force:
		return schema.Advise(fmt.Errorf("%w: it exists already", ErrInvalid), AdviceOtherFile)
	case !info.Mode().IsRegular():
		return schema.Hint(fmt.Errorf("%w: it is not a regular file", ErrInvalid), "choose another file")
	}
	return nil
}

// backup is the state of a running backup.
type backup struct {
	*Store
	BackupOptions
	temp *tempfile.Dir
	path string
}

// run copies and verifies. What an earlier attempt left is copied again if it does not verify in
// the end.
func (b *backup) run(ctx context.Context, resumed bool) (BackupReport, error) {
	if resumed && !isReadable(b.temp.ContentPath()) {
		resumed = false
		if err := os.Remove(b.temp.ContentPath()); err != nil {
			return BackupReport{}, err
		}
	}
	done, err := b.attempt(ctx, resumed)
	for n := 1; n < maxAttempts && errors.Is(err, errReplaced); n++ {
		done, err = b.attempt(ctx, true)
	}
	if errors.Is(err, ErrDamaged) && resumed {
		if err := os.Remove(b.temp.ContentPath()); err != nil {
			return BackupReport{}, err
		}
		done, err = b.attempt(ctx, false)
	}
	return done, err
}

func (b *backup) attempt(ctx context.Context, resumed bool) (done BackupReport, err error) {
	m, err := b.copyStore(ctx, resumed)
	if err != nil {
		return done, err
	}
	done = BackupReport{Backup: b.path, Records: m.records, Stored: m.stored, Resumed: resumed}
	if err := b.verify(ctx, &done); err != nil {
		return done, err
	}
	fault.At("backup.proved")
	if err := b.finishFile(&done); err != nil {
		return done, err
	}
	fault.At("backup.settled")
	if SameFile(b.Store, New(b.path, b.opts)) {
		return done, fmt.Errorf("%w: it became the store itself", ErrInvalid)
	}
	if err := checkTargetFree(b.path, b.Force); err != nil { // it may have been created meanwhile
		return done, err
	}
	return done, b.temp.MoveTo(b.path, b.Force)
}

// copyStore makes the copy and closes it.
func (b *backup) copyStore(ctx context.Context, resumed bool) (*liveCopy, error) {
	open := createUnsynced
	if resumed {
		open = reopenUnsynced
	}
	db, err := open(b.temp.ContentPath())
	if err != nil {
		return nil, err
	}
	m := newLiveCopy(b.Store, db, liveCopyOptions{allRecords: true, emptyBuckets: []string{bucketLeases},
		progress: b.Progress})
	if resumed {
		err = m.resume()
	}
	if err == nil {
		err = m.runPasses(ctx)
	}
	fault.At("backup.followed")
	if err == nil {
		err = b.View(ctx, func(tx *Tx) error { return m.finish(ctx, tx) })
	}
	return m, errors.Join(err, m.close())
}

// verify reads every record of the copy.
func (b *backup) verify(ctx context.Context, done *BackupReport) error {
	c, err := Check(ctx, New(b.temp.ContentPath(), Options{}), CheckOptions{Read: func(schema.Digest) bool {
		return true
	}, Progress: b.VerifyProgress})
	done.Runs, done.Read = c.Runs, c.Read
	if err == nil && !c.Intact() {
		err = schema.Advise(fmt.Errorf("%w: %s in the copy, and so in the store: %s", ErrDamaged, countDamages(c),
			c.Damaged[0].Why), AdviceCheckRecords, b.Store.path)
	}
	return err
}

func countDamages(c CheckReport) string {
	if n := len(c.Damaged) + c.More; n != 1 {
		return fmt.Sprintf("%d damages", n)
	}
	return "1 damage"
}

// finishFile gives the copy the permissions of the store, or only those of the owner if the owners
// differ, and syncs it.
func (b *backup) finishFile(done *BackupReport) error {
	like, err := os.Stat(b.Store.path)
	if err != nil {
		return err
	}
	done.Bytes, err = finishFile(b.temp.ContentPath(), like, false)
	return err
}

// reopenUnsynced opens a file that [createUnsynced] made.
func reopenUnsynced(path string) (*bbolt.DB, error) { return openUnsynced(path, 0) }

// isReadable reports whether the file's structure is intact, so that bbolt can open it.
func isReadable(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	p, err := pages.Open(f, info.Size())
	if err != nil {
		return false
	}
	_, err = p.Traverse(pages.TraverseOptions{})
	return err == nil
}

func (s *Store) backupError(path string, err error) error {
	wrapped := fmt.Errorf("back up %s to %s: %w", s.path, path, err)
	switch {
	case schema.Remedy(err) != "":
		return wrapped
	case errors.Is(err, fs.ErrExist):
		return schema.Advise(wrapped, AdviceOtherFile)
	case errors.Is(err, syscall.ENOSPC):
		return schema.Hint(wrapped, "free some space in %s: a backup needs room for all that is in use",
			schema.ShellPath(filepath.Dir(path)))
	case errors.Is(err, context.Canceled):
		return wrapped
	}
	return schema.Hint(wrapped, "check that its folder can be written to")
}
