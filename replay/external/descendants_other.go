//go:build !linux

package external

import "os"

// childHandles returns nil: processes outside the program's group are not known on this system.
func (p *process) childHandles() []*os.Process { return nil }

// killAll kills a program that has not been waited for, and its process group.
func (p *process) killAll([]*os.Process) { killGroup(p.cmd) }
