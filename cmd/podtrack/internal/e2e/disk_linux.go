package e2e

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// SmallDisk returns the folder of a disk in memory, with further options of its mount.
func SmallDisk(t *testing.T, options ...string) string {
	t.Helper()
	dir := t.TempDir()
	options = append(options, "size=4m")
	if err := syscall.Mount("podtrack", dir, "tmpfs", 0, strings.Join(options, ",")); err != nil {
		t.Skipf("a disk of its own needs the right to mount one: %v", err)
	}
	t.Cleanup(func() { Must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// FillDisk leaves so much room on the disk.
func FillDisk(t *testing.T, path string, room int64) {
	t.Helper()
	f, err := os.Create(path)
	Must(t, err)
	defer f.Close()
	for page := make([]byte, 4<<10); err == nil; {
		_, err = f.Write(page)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	info, err := f.Stat()
	Must(t, err)
	if info.Size() < room {
		t.Fatalf("a disk of %d bytes has no room of %d", info.Size(), room)
	}
	Must(t, f.Truncate(info.Size()-room))
}
