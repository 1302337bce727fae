//go:build unix

package cmdline

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// leastFiles is how many files a command may have open at once, beside those passed to
// it. Go's runtime opens some itself, and crashes without a message of the program if
// it cannot.
const leastFiles = 16

// CheckOpenFiles returns an error if the process cannot open as many files as any
// command needs. It tries to open them, since neither the limit nor the number of open
// files alone tells how many more can be opened.
func CheckOpenFiles() error {
	var opened []int
	defer func() {
		for _, fd := range opened {
			_ = syscall.Close(fd)
		}
	}()
	for range leastFiles {
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

// CatchFileSizeSignal turns the signal that a file would become larger than the process may write
// into an error of that write. Programs that are started still get the signal.
func CatchFileSizeSignal() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }
