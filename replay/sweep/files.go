package sweep

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// ReadFile reads a regular file up to a limit. It rejects pipes and devices, which might never
// end.
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

// MakeDir makes a folder within the sweep's folder, writable only by its owner, unless it exists,
// and returns its path. It rejects a symbolic link in its place, which may lead anywhere.
func (f Folder) MakeDir(name string) (path string, err error) {
	path = filepath.Join(f.Path, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return path, f.addHint(err)
	}
	if err := checkDir(path); err != nil {
		return path, err
	}
	return path, f.addHint(tempfile.SyncDir(f.Path))
}

// checkDir returns an error unless path is a folder itself.
func checkDir(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		return schema.Hint(fmt.Errorf("%s is not a folder", path),
			"it must not be a link or a file: remove it, or name another folder")
	}
	return err
}
