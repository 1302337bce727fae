//go:build !unix

package external

import "github.com/podtrack/podtrack/replay/programs"

// setProcessGroup: there are no process groups here.
func setProcessGroup(*programs.Cmd) {}

// killGroup ends the program alone.
func killGroup(cmd *programs.Cmd) { _ = cmd.Process.Kill() }
