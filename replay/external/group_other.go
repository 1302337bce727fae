//go:build !unix

package external

import "os/exec"

// ownGroup: there are no process groups here.
func ownGroup(*exec.Cmd) {}

// endGroup ends the program alone.
func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
