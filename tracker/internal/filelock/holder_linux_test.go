package filelock

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHolder: this process holds the lock of a file after it has taken it.
func TestHolder(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if pid := Holder(f); pid != 0 {
		t.Errorf("nobody has the lock, but %d", pid)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if pid := Holder(f); pid != os.Getpid() {
		t.Skipf("the lock of process %d is one of %d by /proc/locks, on this file system", os.Getpid(), pid)
	}
}

func TestHolderOf(t *testing.T) {
	const place = "fe:00:5310746"
	for line, want := range map[string]int{
		"1: FLOCK  ADVISORY  WRITE 7068 fe:00:5310746 0 EOF":    7068,
		"1: FLOCK  ADVISORY  READ 7 fe:00:5310746 0 EOF":        7,
		"1: -> FLOCK  ADVISORY  WRITE 7069 fe:00:5310746 0 EOF": 0,
		"2: POSIX  ADVISORY  WRITE 6253 fe:00:5310746 0 EOF":    0,
		"3: FLOCK  ADVISORY  WRITE 6253 fe:00:5310747 0 EOF":    0,
		"4: FLOCK  ADVISORY  WRITE -1 fe:00:5310746 0 EOF":      -1,
		"": 0,
	} {
		if got := holderOf(line, place); got != want {
			t.Errorf("%q: %d, want %d", line, got, want)
		}
	}
}
