//go:build !linux

package external

import "os"

// childHandles returns nil: processes outside the program's group are not known on this system.
func (p *process) childHandles() []*os.Process { return nil }

// killAll kills a program that has not been waited for, and its process group.
func (p *process) killAll([]*os.Process) { killGroup(p.cmd) }

// detectsExit reports that awaitExit does not work on this system.
const detectsExit = false

// awaitExit returns false: here an exit shows only at the end of stdout.
func awaitExit(int) bool { return false }

func enlargePipe(*os.File) {}
