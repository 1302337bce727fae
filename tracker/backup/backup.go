// Package backup is podtrack's own: it copies stores that are in use. [Run] makes and verifies a copy that is a
// store too; [Compact] copies everything in use to a new file, which replaces the store's.
//
// A live copy reads the store in passes. Each copies the changes since the one before, until the rest fits into
// one transaction.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/newfile"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// Options configures [Run].
type Options struct {
	Force          bool                    // replace an existing file
	Progress       func(done, total int64) // called with the bytes copied; may be nil
	VerifyProgress func(done, total int)   // called with the records verified; may be nil
}

// Report describes a finished backup.
type Report struct {
	Backup  string `json:"backup"`
	Runs    int    `json:"runs"`
	Records int    `json:"records"` // number in the backup
	Stored  int64  `json:"stored"`  // bytes of the records as stored
	Read    int    `json:"read"`    // records that were verified: all that rows name
	Bytes   int64  `json:"bytes"`   // size of the file
	Resumed bool   `json:"resumed"` // an earlier attempt was continued
}

// Run copies the store, in the state of some commit, to a file that is a store too, while other processes read
// and write. The copy has no leases, so none of its runs appears to be running. Every record of the copy is
// read and verified before the file gets its name.
//
// If the context or the process ends, the next attempt reuses the unfinished copy. Force replaces only a
// regular file, or one at the target of a symbolic link.
func Run(ctx context.Context, s *tracker.Store, path string, o Options) (Report, error) {
	if tracker.SameFile(s, tracker.New(path, tracker.Options{})) {
		return Report{}, schema.Hint(fmt.Errorf("back up to %s: %w: it is the store itself", path, tracker.ErrInvalid),
			"choose another file, preferably on another disk")
	}
	if err := s.View(ctx, func(*tracker.Tx) error { return nil }); err != nil { // checks that it is a store
		return Report{}, err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil && o.Force {
		path = target
	}
	if err := checkTargetFree(path, o.Force); err != nil {
		return Report{}, backupError(s, path, err)
	}
	temp, resumed, err := tempfile.Resume(path, "backup")
	if err != nil {
		return Report{}, backupError(s, path, err)
	}
	b := backup{store: s, Options: o, temp: temp, path: path}
	done, err := b.run(ctx, resumed)
	if ctx.Err() == nil {
		_ = temp.Remove()
	}
	if err != nil {
		return Report{}, backupError(s, path, err)
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
		return schema.Hint(fmt.Errorf("%w: it is a folder", tracker.ErrInvalid), "name a file in it")
	case !force:
		return schema.Hint(fmt.Errorf("%w: it exists already", tracker.ErrInvalid), tracker.AdviceOtherFile)
	case !info.Mode().IsRegular():
		return schema.Hint(fmt.Errorf("%w: it is not a regular file", tracker.ErrInvalid), "choose another file")
	}
	return nil
}

// maxAttempts is the number of attempts to copy a file that other processes replace.
const maxAttempts = 3

type backup struct {
	Options
	store *tracker.Store
	temp  *tempfile.Dir
	path  string
}

// run copies and verifies. If the verification fails, and an earlier attempt left a part of the copy, it copies
// everything again.
func (b *backup) run(ctx context.Context, resumed bool) (Report, error) {
	if resumed && !isReadable(b.temp.ContentPath()) {
		resumed = false
		if err := os.Remove(b.temp.ContentPath()); err != nil {
			return Report{}, err
		}
	}
	done, err := b.attempt(ctx, resumed)
	for n := 1; n < maxAttempts && errors.Is(err, tracker.ErrReplaced); n++ {
		done, err = b.attempt(ctx, true)
	}
	if errors.Is(err, tracker.ErrDamaged) && resumed {
		if err := os.Remove(b.temp.ContentPath()); err != nil {
			return Report{}, err
		}
		done, err = b.attempt(ctx, false)
	}
	return done, err
}

func (b *backup) attempt(ctx context.Context, resumed bool) (done Report, err error) {
	done = Report{Backup: b.path, Resumed: resumed}
	done.Records, done.Stored, err = copyLive(ctx, b.store, b.temp.ContentPath(), resumed, b.Progress)
	if err != nil {
		return done, err
	}
	if err := b.verify(ctx, &done); err != nil {
		return done, err
	}
	fault.At("backup.proved")
	like, err := os.Stat(b.store.Path())
	if err == nil {
		done.Bytes, err = newfile.Finish(b.temp.ContentPath(), like, false)
	}
	if err != nil {
		return done, err
	}
	fault.At("backup.settled")
	if tracker.SameFile(b.store, tracker.New(b.path, tracker.Options{})) {
		return done, fmt.Errorf("%w: it has become the store itself", tracker.ErrInvalid)
	}
	if err := checkTargetFree(b.path, b.Force); err != nil { // it may have been created meanwhile
		return done, err
	}
	return done, b.temp.MoveTo(b.path, b.Force)
}

func (b *backup) verify(ctx context.Context, done *Report) error {
	copied := tracker.New(b.temp.ContentPath(), tracker.Options{})
	c, err := check.Run(ctx, copied, check.Options{
		Read: func(schema.Digest) bool { return true }, Progress: b.VerifyProgress,
	})
	done.Runs, done.Read = c.Runs, c.Read
	if err == nil && !c.Intact() {
		err = schema.Hint(fmt.Errorf("%w: %s in the copy, and so in the store: %s", tracker.ErrDamaged,
			textfmt.CountOf(len(c.Damaged)+c.More, "damage"), c.Damaged[0].Why),
			tracker.AdviceCheckRecords, b.store.Path())
	}
	return err
}

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
	return err == nil && p.Traverse(pages.TraverseOptions{}) == nil
}

func backupError(s *tracker.Store, path string, err error) error {
	wrapped := fmt.Errorf("back up %s to %s: %w", s.Path(), path, err)
	if errors.Is(err, fs.ErrExist) && schema.Remedy(err) == "" {
		return schema.Hint(wrapped, tracker.AdviceOtherFile)
	}
	return tracker.HintCopy(wrapped, path)
}
