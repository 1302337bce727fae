//go:build unix

package cmdline

import (
	"errors"
	"os"
	"syscall"
)

// leastFiles is how many files a command may have open at once beside those that were
// passed to it. Go's runtime opens some of its own, and ends the program without a
// word of ours where it cannot.
const leastFiles = 16

// CheckOpenFiles opens as many files as any command needs, since neither a limit nor
// what is open already tells alone how many can be.
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
			return nil // nothing of that kind can be opened here
		}
		opened = append(opened, fd)
	}
	return nil
}
