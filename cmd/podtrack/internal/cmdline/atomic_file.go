package cmdline

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// WriteAtomic writes a file so that it appears under its name complete or not at all.
// It calls write with the path of a file to create in a temporary folder beside path.
// Leftovers of killed processes beside path are removed and reported to w.
//
// An existing file is replaced only if force is true and it is a regular file or a
// symbolic link to one. The link stays, and the new file gets the mode of the old one.
func WriteAtomic(w io.Writer, path string, force bool, write func(temp string) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil && force {
		path = target
	}
	replaced, err := checkReplaceable(path, force)
	if err != nil {
		return err
	}
	ReclaimBeside(w, path)
	temp, err := tempfile.New(path, "export")
	if err != nil {
		return writeError(path, err)
	}
	defer temp.Remove()
	if err := write(temp.ContentPath()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if replaced != nil {
		if err := os.Chmod(temp.ContentPath(), replaced.Mode().Perm()); err != nil {
			return writeError(path, err)
		}
	}
	switch err := temp.MoveTo(path, force); {
	case errors.Is(err, fs.ErrExist):
		return existsError(path)
	case err != nil:
		return writeError(path, err)
	}
	return nil
}

// checkReplaceable returns the file that a new file at path would replace, or nil if there is none.
// It returns an error if the file must not be replaced.
func checkReplaceable(path string, force bool) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, nil // no file; any other problem shows when the new one is written
	case info.IsDir():
		return nil, schema.Hint(fmt.Errorf("%s is a folder", path), "choose a file")
	case !force:
		return nil, existsError(path)
	case !info.Mode().IsRegular():
		return nil, schema.Hint(fmt.Errorf("%s is not a regular file", path), "choose a file")
	}
	return info, nil
}

func existsError(path string) error {
	return schema.Hint(fmt.Errorf("%s already exists", path), "choose another file, or replace it with --force")
}

func writeError(path string, err error) error {
	return schema.Hint(fmt.Errorf("write %s: %w", path, err), "%s", cmp.Or(schema.Remedy(err), writableHint))
}

// ReclaimBeside removes temporary files that killed processes left in the folder of path, and reports them to w. They
// are of no use: unlike a backup, an export or an audit document is never continued.
func ReclaimBeside(w io.Writer, path string) {
	PrintLeftovers(w, tempfile.ReclaimBeside(path, "export", "audit"))
}

// writableHint is the remedy if a file cannot be written.
const writableHint = "choose a place that can be written to and has room"

// WriteFile returns a function for [WriteAtomic]. The function creates a file, passes it
// to write, and syncs it to disk.
func WriteFile(write func(*os.File) error) func(temp string) error {
	return func(temp string) error {
		f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Sync(), f.Close())
	}
}
