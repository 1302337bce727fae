//go:build unix

package schematest

import (
	"syscall"
	"time"
)

// ProcessorTime returns the user and system time that this process has taken.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
