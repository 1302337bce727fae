package cmdline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// newFolder makes the folder beside path that is given its name when it is complete.
func newFolder(path string) (temp string, err error) {
	path = filepath.Clean(path) // the folder above one that ends in a slash would be that one
	if _, err := os.Lstat(path); err == nil {
		return "", schema.Hint(fmt.Errorf("%s already exists", path), "choose another folder")
	}
	temp, err = os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", schema.Hint(err, "mkdir -p %s", textfmt.ShellPath(filepath.Dir(path)))
	case err != nil:
		return "", schema.Hint(err, "choose a folder in one that can be written to")
	}
	return temp, nil
}

// WriteFolder makes a folder with files, by their names in it. It appears complete or not at all, and an existing one
// is not replaced. The files are written at once, so that a process that is killed meanwhile hardly ever leaves a part
// of them.
func WriteFolder(path string, files map[string][]byte) error {
	temp, err := newFolder(path)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) // which does not exist any more if all went well
	for name, data := range files {
		file, mode := filepath.Join(temp, name), fs.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, mode)); err != nil {
			return schema.Hint(err, "choose a place that has room")
		}
	}
	return errors.Join(os.Chmod(temp, 0o755), os.Rename(temp, path))
}
