//go:build !unix

package external

import "github.com/podtrack/podtrack/replay/programs"

// setProcessGroup does nothing: this system has no process groups.
func setProcessGroup(*programs.Cmd) {}

// killGroup kills the program alone.
func killGroup(cmd *programs.Cmd) { _ = cmd.Process.Kill() }
