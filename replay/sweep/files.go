package sweep

import (
	"fmt"
	"io"
	"os"

	"github.com/podtrack/podtrack/schema"
)

// ReadFile reads a regular file of up to limit bytes. It rejects pipes and devices, which might never
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
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return text, err
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
