//go:build unix

package tracker

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestTempDirUnderAnyUmask: the owner can use and remove a temporary folder, whatever the umask.
func TestTempDirUnderAnyUmask(t *testing.T) {
	dir := t.TempDir()
	temp, err := func() (*TempDir, error) {
		defer syscall.Umask(syscall.Umask(0o777))
		return NewTempDir(filepath.Join(dir, "file"), "test")
	}()
	ok(t, err)
	info, err := os.Stat(temp.Path())
	ok(t, err)
	equal(t, "mode", info.Mode().Perm(), 0o700)
	ok(t, temp.Remove())
}
