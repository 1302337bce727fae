//go:build !linux

package external

import "os"

// childHandles returns nil: on this system only the program's process group can be found.
func (p *process) childHandles() []*os.Process { return nil }

// killAll kills the program and its process group. Nobody may have waited for the program yet.
func (p *process) killAll([]*os.Process) { killGroup(p.cmd) }

// detectsExit is whether awaitExit works on this system.
const detectsExit = false

// awaitExit returns false: on this system the only sign of an exit is the end of stdout.
func awaitExit(int) bool { return false }

// enlargePipe does nothing: the size of a pipe is fixed on this system.
func enlargePipe(*os.File) {}
