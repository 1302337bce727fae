//go:build unix

package external

import (
	"syscall"

	"github.com/podtrack/podtrack/replay/programs"
)

// ownGroup gives a program a process group, so that Ctrl-C in a terminal is ours
// alone, and so that what it starts can be ended with it.
func ownGroup(cmd *programs.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithUs(cmd.SysProcAttr)
}

// endGroup ends a program that nobody has waited for yet, so that its number is
// still its own, and all that it started. Of what has ended there is nothing to do.
func endGroup(cmd *programs.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
