//go:build unix

package tempfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestTempDirUnderAnyUmask: the owner can use and remove a temporary folder, whatever the umask.
func TestTempDirUnderAnyUmask(t *testing.T) {
	dir := t.TempDir()
	temp, err := func() (*Dir, error) {
		defer syscall.Umask(syscall.Umask(0o777))
		return New(filepath.Join(dir, "file"), "test")
	}()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Dir(temp.ContentPath()))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode())
	}
	if err := temp.Remove(); err != nil {
		t.Fatal(err)
	}
}
