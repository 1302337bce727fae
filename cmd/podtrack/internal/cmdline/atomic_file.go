package cmdline

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// WriteAtomic writes a file that appears under its name as a whole or not at all. write
// gets the path of a file that does not exist yet, in a temporary folder beside path.
// Leftovers of killed processes there are removed and reported to w. An existing file
// is replaced only if force is true; symbolic links are followed, and the new file gets
// the mode of the old one. Anything but a regular file is never replaced.
func WriteAtomic(w io.Writer, path string, force bool, write func(temp string) error) error {
	exists := schema.Hint(fmt.Errorf("%s already exists", path), "choose another file, or replace it with --force")
	if target, err := filepath.EvalSymlinks(path); err == nil && force {
		path = target
	}
	var replaced fs.FileInfo // nil for none
	switch info, err := os.Lstat(path); {
	case err == nil && info.IsDir():
		return schema.Hint(fmt.Errorf("%s is a folder", path), "choose a file")
	case err == nil && !force:
		return exists
	case err == nil && !info.Mode().IsRegular():
		return schema.Hint(fmt.Errorf("%s is not a regular file", path), "choose a file")
	case err == nil:
		replaced = info
	}
	ReclaimBeside(w, path)
	temp, err := tempfile.New(path, "export")
	if err != nil {
		return schema.Hint(fmt.Errorf("write %s: %w", path, err), writableHint)
	}
	defer temp.Remove()
	if err := write(temp.ContentPath()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if replaced != nil {
		if err := os.Chmod(temp.ContentPath(), replaced.Mode().Perm()); err != nil {
			return schema.Hint(fmt.Errorf("write %s: %w", path, err), writableHint)
		}
	}
	err = temp.MoveTo(path, force)
	if errors.Is(err, fs.ErrExist) {
		return exists
	}
	if err != nil {
		return schema.Hint(fmt.Errorf("write %s: %w", path, err), writableHint)
	}
	return nil
}

// ReclaimBeside removes what killed processes left beside a file that is written, whichever file they were writing, and
// reports it to w. Unlike a part of a backup, none of it can be used again.
func ReclaimBeside(w io.Writer, path string) {
	PrintLeftovers(w, tempfile.ReclaimBeside(path, "export", "audit"))
}

// writableHint is the remedy if a file cannot be written.
const writableHint = "choose a place that can be written to and has room"

// WriteFile returns a function for [WriteAtomic] that creates a file, passes it to
// write, and syncs it to disk.
func WriteFile(write func(*os.File) error) func(temp string) error {
	return func(temp string) error {
		f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Sync(), f.Close())
	}
}
