package external

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A descendant is a process that a program started, or one that this started. It has
// the program's mark among its variables, which nobody else was given, or its parent is
// the program or a descendant.
type descendant struct {
	pid, parent int
	marked      bool
}

// holdDescendants returns handles of all that the program has started and that is
// still there. Later, one that gave up the mark and whose parent has ended is not
// found any more.
func (p *process) holdDescendants() (held []*os.Process) {
	for _, d := range p.descendants() {
		handle, err := os.FindProcess(d.pid)
		if err != nil {
			continue
		}
		// Its number may have gone to another process before the handle was had.
		if parent, alive := parentOf(d.pid); alive && (parent == d.parent || d.marked && hasMark(d.pid, p.mark)) {
			held = append(held, handle)
		} else {
			_ = handle.Release()
		}
	}
	return held
}

// endAll ends a program that nobody has waited for yet, and all that it started: its
// group, and what left the group, as setsid and daemons do.
func (p *process) endAll(held []*os.Process) {
	held = append(held, p.holdDescendants()...)
	endGroup(p.cmd)
	for end := time.Now().Add(grace); len(held) > 0; time.Sleep(time.Millisecond) {
		for _, handle := range held {
			_ = handle.Kill() // it may have ended
			_ = handle.Release()
		}
		if held = nil; time.Now().Before(end) {
			held = p.holdDescendants() // a process may have started others before it was killed
		}
	}
}

func (p *process) descendants() (all []descendant) {
	processes := listProcesses()
	ours := map[int]bool{p.cmd.Process.Pid: true}
	for _, d := range processes {
		if d.marked = hasMark(d.pid, p.mark); d.marked && !ours[d.pid] {
			ours[d.pid] = true
			all = append(all, d)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, d := range processes {
			if ours[d.parent] && !ours[d.pid] {
				ours[d.pid], grown = true, true
				all = append(all, d)
			}
		}
	}
	return all
}

// listProcesses returns the processes that can be seen and have not ended.
func listProcesses() (all []descendant) {
	paths, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		if parent, alive := parentOf(pid); alive {
			all = append(all, descendant{pid: pid, parent: parent})
		}
	}
	return all
}

// parentOf returns the parent of a process, and false for one that has ended.
func parentOf(pid int) (parent int, alive bool) {
	text, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return 0, false
	}
	// pid (name) state parent …, where the name may have anything in it.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 2 || fields[0] == "Z" || fields[0] == "X" {
		return 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, err == nil
}

// hasMark reports whether a process was started with the mark among its variables.
func hasMark(pid int, mark string) bool {
	text, err := os.ReadFile(procFile(pid, "environ"))
	return err == nil && bytes.Contains(append([]byte{0}, text...), []byte("\x00"+mark+"\x00"))
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
