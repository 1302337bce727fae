//go:build unix

package cmdline

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// neededFiles is the number of files that a command needs to be able to open, in addition
// to those that it inherits. Go's runtime opens some of them, and if it fails to, the
// program crashes before it can print an error.
const neededFiles = 16

// CheckOpenFiles returns an error if the process cannot open as many files as a command
// needs. It tries to open them: neither the limit nor the number of open files alone
// tells how many more can be opened.
func CheckOpenFiles() error {
	var opened []int
	defer func() {
		for _, fd := range opened {
			_ = syscall.Close(fd)
		}
	}()
	for range neededFiles {
		fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			return os.NewSyscallError("open as many files as podtrack needs", err)
		}
		if err != nil {
			return nil // the null device cannot be opened here at all
		}
		opened = append(opened, fd)
	}
	return nil
}

// CatchFileSizeSignal catches SIGXFSZ, so that a write beyond the limit on file sizes fails
// with an error and does not end the process. Child processes still get the signal.
func CatchFileSizeSignal() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }
