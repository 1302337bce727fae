package filelock

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Holder returns the ID of a process that holds the file's lock, 0 if none is known: some file systems do not
// tell the kernel's device number, and the process may be in another namespace.
func Holder(f *os.File) int {
	var stat unix.Stat_t
	if unix.Fstat(int(f.Fd()), &stat) != nil {
		return 0
	}
	locks, _ := os.ReadFile("/proc/locks")
	place := fmt.Sprintf("%02x:%02x:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev), stat.Ino)
	for line := range strings.Lines(string(locks)) {
		if pid := holderOf(line, place); pid > 0 {
			return pid
		}
	}
	return 0
}

// holderOf returns the process in a line of /proc/locks if it holds a lock on the file at place, otherwise 0.
func holderOf(line, place string) (pid int) {
	// 1: FLOCK ADVISORY WRITE 7068 fe:00:5310746 0 EOF; a waiting process has "->" before FLOCK
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[1] != "FLOCK" || fields[5] != place {
		return 0
	}
	_, _ = fmt.Sscan(fields[4], &pid)
	return pid
}
