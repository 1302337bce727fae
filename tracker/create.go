package tracker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/newfile"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

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

// newMode is the mode of a new store before the process's umask.
const newMode = 0o666
