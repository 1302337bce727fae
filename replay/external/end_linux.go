package external

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithUs has the system kill a program whose starter was killed. Linux takes the
// thread that started it for the starter, which has to last as long as the program.
func dieWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// noticesEnd says that awaitEnd knows.
const noticesEnd = true

// awaitEnd waits until a program has ended, and leaves its number to it, so that its
// group can still be ended. It says whether that is known.
func awaitEnd(pid int) bool {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return true // or it was waited for meanwhile
		}
	}
}
