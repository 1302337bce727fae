//go:build unix

package schematest

import (
	"syscall"
	"testing"
	"time"
)

// NeedsOpenFiles skips the test if a process cannot have n files open.
func NeedsOpenFiles(t testing.TB, n uint64) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if uint64(limit.Cur) < n {
		SkipLacking(t, "a process can have %d files open, not %d", limit.Cur, n)
	}
}

// ProcessorTime returns the user and system time that this process has taken.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
