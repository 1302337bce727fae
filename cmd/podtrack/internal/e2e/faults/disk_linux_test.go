package faults

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// smallDisk returns the folder of a disk in memory, with further options of its mount.
func smallDisk(t *testing.T, options ...string) string {
	t.Helper()
	dir := t.TempDir()
	options = append(options, "size=4m")
	if err := syscall.Mount("podtrack", dir, "tmpfs", 0, strings.Join(options, ",")); err != nil {
		t.Skipf("a disk of its own needs the right to mount one: %v", err)
	}
	t.Cleanup(func() { e2e.Must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// fillDisk leaves so much room on the disk.
func fillDisk(t *testing.T, path string, room int64) {
	t.Helper()
	f, err := os.Create(path)
	e2e.Must(t, err)
	defer f.Close()
	for page := make([]byte, 4<<10); err == nil; {
		_, err = f.Write(page)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	info, err := f.Stat()
	e2e.Must(t, err)
	if info.Size() < room {
		t.Fatalf("a disk of %d bytes has no room of %d", info.Size(), room)
	}
	e2e.Must(t, f.Truncate(info.Size()-room))
}
