package sweep

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ReadFile reads a file up to a limit. What is no file, such as a pipe, might be read
// for ever.
func ReadFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit))
}

// MakeDir makes a folder within the sweep's, which others cannot write to, unless it is
// there, and returns its path. A symbolic link in its place is refused: it leads
// elsewhere.
func (f Folder) MakeDir(name string) (path string, err error) {
	path = filepath.Join(f.Path, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return path, f.addHint(err)
	}
	if err := checkDir(path); err != nil {
		return path, err
	}
	return path, f.addHint(tracker.SyncDir(f.Path))
}

// checkDir refuses what is no folder itself.
func checkDir(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		return schema.Hint(fmt.Errorf("%s is no folder of its own", path), "a sweep's folder has its files in itself: remove what stands there, or name another folder")
	}
	return err
}
