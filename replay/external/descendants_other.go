//go:build !linux

package external

import "os"

// childHandles: what left the program's group is not known.
func (p *process) childHandles() []*os.Process { return nil }

// killAll ends a program that nobody has waited for yet, and what stayed in its group.
func (p *process) killAll([]*os.Process) { killGroup(p.cmd) }
