package external

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// killWithParent has the system kill a program when its starter dies. For Linux the starter is the
// thread that started it, which must last as long as the program.
func killWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// detectsExit reports that awaitExit works on this system.
const detectsExit = true

// awaitExit waits until a program has exited without reaping it, so that its group can still be
// killed. It reports whether the exit can be detected.
func awaitExit(pid int) bool {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return true // or it was waited for meanwhile
		}
	}
}
