package external

import (
	"os"
	"syscall"
)

const (
	setPipeSize = 1031 // F_SETPIPE_SZ
	pipeBytes   = 1 << 20
)

// enlargePipe lets a pipe hold a whole part of an answer, so that a program goes on while it is not read. Where the
// system refuses that, the pipe stays as it is.
func enlargePipe(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, pipeBytes) })
	}
}
