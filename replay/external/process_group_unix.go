//go:build unix

package external

import (
	"syscall"

	"github.com/podtrack/podtrack/replay/programs"
)

// setProcessGroup gives a program its own process group, so that Ctrl-C in a terminal reaches only
// podtrack, and so that what it starts can be killed with it.
func setProcessGroup(cmd *programs.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	killWithParent(cmd.SysProcAttr)
}

// killGroup kills a program that has not been waited for, so that its number is still valid, and
// everything in its group.
func killGroup(cmd *programs.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
