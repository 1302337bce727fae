package external

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A descendant is a process that a program started, directly or through other processes. It has the program's mark,
// which is unique, among its environment variables, or its parent is the program or a descendant.
type descendant struct {
	pid    int
	parent int // 0 if it was found by the mark
}

// childHandles returns handles of the processes that the program has started, directly or
// indirectly, as far as the chain of parents is unbroken. A process without the mark whose parent
// has exited is not found later.
func (p *process) childHandles() []*os.Process {
	return p.openHandles(addChildren([]descendant{{pid: p.cmd.Process.Pid}})[1:])
}

// markedHandles returns handles of all processes with the mark, and of those that they started.
func (p *process) markedHandles() []*os.Process {
	var marked []descendant
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid != p.cmd.Process.Pid && hasMark(pid, p.mark) {
			marked = append(marked, descendant{pid: pid})
		}
	}
	return p.openHandles(addChildren(marked))
}

// openHandles returns handles of processes. It releases a handle whose process number was reused
// before the handle was opened.
func (p *process) openHandles(all []descendant) (held []*os.Process) {
	for _, d := range all {
		handle, err := os.FindProcess(d.pid)
		if err != nil {
			continue
		}
		if d.parent != 0 && d.parent == parentOf(d.pid) || d.parent == 0 && hasMark(d.pid, p.mark) {
			held = append(held, handle)
		} else {
			_ = handle.Release()
		}
	}
	return held
}

// killAll kills a program that has not been waited for and everything it started: its group and
// the processes that left the group, as setsid and daemons do.
func (p *process) killAll(held []*os.Process) {
	held = append(held, p.childHandles()...)
	killGroup(p.cmd)
	for end := time.Now().Add(grace); ; time.Sleep(time.Millisecond) {
		held = append(held, p.markedHandles()...) // also what was started before its starter was killed
		for _, handle := range held {
			_ = handle.Kill() // no error matters: it may have ended
			_ = handle.Release()
		}
		if len(held) == 0 || time.Now().After(end) {
			return
		}
		held = nil
	}
}

// addChildren adds the children of processes, recursively.
func addChildren(all []descendant) []descendant {
	known := map[int]bool{}
	for _, d := range all {
		known[d.pid] = true
	}
	for i := 0; i < len(all); i++ {
		for _, pid := range childrenOf(all[i].pid) {
			if !known[pid] {
				known[pid] = true
				all = append(all, descendant{pid, all[i].pid})
			}
		}
	}
	return all
}

// childrenOf returns the children of a process, or none if the system does not list them.
func childrenOf(pid int) (children []int) {
	lists, _ := filepath.Glob(filepath.Join(procFile(pid, "task"), "*", "children"))
	for _, path := range lists {
		text, _ := os.ReadFile(path)
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// parentOf returns the parent of a process, 0 if that has exited.
func parentOf(pid int) int {
	fields := readStat(pid)
	if len(fields) < 2 || fields[0] == "Z" || fields[0] == "X" {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// readStat returns what /proc/PID/stat says of a process after its name, which may have anything in it: its state, its
// parent, … It returns none if the process has ended.
func readStat(pid int) []string {
	text, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// execLooks is how often a process is looked at, 1 ms apart, whose program is being replaced (exec). On a busy machine
// that takes long.
const execLooks = 50

// hasMark reports whether a process was started with the mark in its environment.
func hasMark(pid int, mark string) bool {
	for range execLooks {
		place := readEnvironPlace(pid)
		text, err := os.ReadFile(procFile(pid, "environ"))
		if err != nil {
			return false
		}
		if strings.Contains("\x00"+string(text), "\x00"+mark+"\x00") {
			return true // only a program that has the mark shows it
		}
		whole := len(text) > 0 && place.end-place.start == uint64(len(text)) && place == readEnvironPlace(pid)
		if whole {
			return false
		}
		if _, err := os.Readlink(procFile(pid, "exe")); err != nil {
			return false // it has ended, or is a thread of the kernel
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// An environPlace is where in the memory of a process its environment begins and ends. In the midst of an exec it
// changes, or is empty, and what is read is a part of the old environment or of the new one, or nothing.
type environPlace struct{ start, end uint64 }

// readEnvironPlace returns the place of a process's environment, or none if the process has no memory.
func readEnvironPlace(pid int) (place environPlace) {
	const start, end = 47, 48 // env_start and env_end of proc_pid_stat(5), counted from the state
	if fields := readStat(pid); len(fields) > end {
		place.start, _ = strconv.ParseUint(fields[start], 10, 64)
		place.end, _ = strconv.ParseUint(fields[end], 10, 64)
	}
	return place
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}

// killWithParent has the system kill a program when its starter dies. For Linux the starter is the
// thread that started it, which must last as long as the program.
func killWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// detectsExit reports that awaitExit works on this system.
const detectsExit = true

// awaitExit waits until a program has exited without reaping it, so that its group can still be
// killed. It reports whether the exit can be detected.
func awaitExit(pid int) bool {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return true // or another goroutine has waited for it
		}
	}
}

// enlargePipe makes a pipe large enough for a whole part of an answer, so that the program continues while nothing is
// read. If the system refuses, the pipe stays as it is.
func enlargePipe(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
