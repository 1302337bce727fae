//go:build unix

package external

import (
	"syscall"

	"github.com/podtrack/podtrack/replay/programs"
)

// setProcessGroup gives a program a process group, so that Ctrl-C in a terminal is ours
// alone, and so that what it starts can be ended with it.
func setProcessGroup(cmd *programs.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	killWithParent(cmd.SysProcAttr)
}

// killGroup ends a program that nobody has waited for yet, so that its number is
// still its own, and all that it started. Of what has ended there is nothing to do.
func killGroup(cmd *programs.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
