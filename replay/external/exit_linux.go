package external

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// killWithParent has the system kill a program whose starter was killed. Linux takes the
// thread that started it for the starter, which has to last as long as the program.
func killWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// detectsExit says that awaitExit knows.
const detectsExit = true

// awaitExit waits until a program has ended, and leaves its number to it, so that its
// group can still be ended. It says whether that is known.
func awaitExit(pid int) bool {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return true // or it was waited for meanwhile
		}
	}
}
