package tracker

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// Names of files and folders that are not to outlive the process that makes them.
const (
	leftoverPrefix = ".podtrack-"
	leftoverAge    = 24 * time.Hour // at which nobody is taken to be at work on one
)

// compactPrefix is what the temporary files of compactions and repairs of this
// store begin with. There is one at most: it is made under the store's lock.
func (s *Store) compactPrefix() string {
	base := schema.Name([]byte(filepath.Base(s.path)))
	return leftoverPrefix + "compact-" + base.String()[:16] + "-"
}

// ownTemp is a name for the file that is to take the store's place.
func (s *Store) ownTemp() (string, error) {
	temp, err := tempName(s.path)
	if err != nil {
		return "", err
	}
	dir, base := filepath.Split(temp)
	return filepath.Join(dir, s.compactPrefix()+strings.TrimPrefix(base, leftoverPrefix)), nil
}

// clean removes what killed processes left beside the store, whose lock is held:
// other names of its own file, compactions of it, and what is a day old. What
// cannot be removed stays.
func (s *Store) clean(store fs.FileInfo) {
	dir := filepath.Dir(s.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Lstat(path)
		if err != nil || !strings.HasPrefix(e.Name(), leftoverPrefix) || filepath.Base(s.path) == e.Name() {
			continue
		}
		old := s.age(path, info) > leftoverAge
		switch {
		case info.IsDir() && old:
			_ = os.RemoveAll(path)
		case info.Mode().IsRegular() && (old || os.SameFile(info, store) || strings.HasPrefix(e.Name(), s.compactPrefix())):
			_ = os.Remove(path)
		}
	}
}

// age is how long ago a file, or anything in a folder of files, was written to.
func (s *Store) age(path string, info fs.FileInfo) time.Duration {
	newest := info.ModTime()
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return 0
		}
		for _, e := range entries {
			if inside, err := e.Info(); err == nil && inside.ModTime().After(newest) {
				newest = inside.ModTime()
			}
		}
	}
	return s.now().Sub(newest)
}
