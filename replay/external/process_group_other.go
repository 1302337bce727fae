//go:build !unix

package external

import "github.com/podtrack/podtrack/replay/programs"

// setProcessGroup does nothing: there are no process groups here.
func setProcessGroup(*programs.Cmd) {}

// killGroup kills the program alone.
func killGroup(cmd *programs.Cmd) { _ = cmd.Process.Kill() }
