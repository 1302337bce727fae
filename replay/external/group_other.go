//go:build !unix

package external

import "github.com/podtrack/podtrack/replay/programs"

// ownGroup: there are no process groups here.
func ownGroup(*programs.Cmd) {}

// endGroup ends the program alone.
func endGroup(cmd *programs.Cmd) { _ = cmd.Process.Kill() }
