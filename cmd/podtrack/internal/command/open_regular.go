package command

import (
	"fmt"
	"os"
)

// openRegular opens a regular file, which can be read at any offset, and returns its size.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	return f, info.Size(), err
}
