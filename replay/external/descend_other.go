//go:build !linux

package external

import "os"

// holdChildren: what left the program's group is not known.
func (p *process) holdChildren() []*os.Process { return nil }

// endAll ends a program that nobody has waited for yet, and what stayed in its group.
func (p *process) endAll([]*os.Process) { endGroup(p.cmd) }
