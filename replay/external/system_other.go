//go:build !linux

package external

import "os"

// childHandles returns nil: this system does not list processes outside the program's group.
func (p *process) childHandles() []*os.Process { return nil }

// killAll kills a program that has not been waited for, and its process group.
func (p *process) killAll([]*os.Process) { killGroup(p.cmd) }

// detectsExit reports that awaitExit does not work on this system.
const detectsExit = false

// awaitExit returns false: on this system an exit shows only as the end of stdout.
func awaitExit(int) bool { return false }

func enlargePipe(*os.File) {}
