// Package process identifies processes, so that a process of the same machine can tell whether another one is
// still running.
//
// [Self] identifies this process; [Gone] reports whether another has ended. This is read from the /proc of Linux.
// On other systems the boot is unknown, and only the age of a lease's heartbeat shows that its owner has ended.
package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// An Identity distinguishes a process from all others.
type Identity struct {
	Boot  string // boot and namespaces in which PID and Start identify a process; "" if unknown
	Host  string // for messages
	PID   int
	Start uint64 // in the kernel's ticks since boot; 0 if unknown
}

// Self returns the identity of this process.
var Self = sync.OnceValue(func() Identity {
	host, _ := os.Hostname()
	_, start, _ := processStat("self") // in a /proc of another namespace the PID may be another process
	return Identity{Boot: bootID(), Host: host, PID: os.Getpid(), Start: start}
})

// initialTime is the initial time namespace, whose number the kernel never changes. A lease that names no time
// namespace is of this one.
const initialTime = "time:[4026531834]"

// bootID returns the machine's boot, its PID namespace and, unless it is the initial one, its time namespace: a
// process ID and a start time identify a process only within them. It returns "" if they are unknown.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	place := strings.TrimSpace(string(id)) + " " + namespace
	if clock, err := os.Readlink("/proc/self/ns/time"); err == nil && clock != initialTime {
		place += " " + clock
	}
	return place
}

// Gone reports whether the process with that ID and start time has certainly ended. A
// missing folder in /proc proves nothing, since hidepid hides the processes of other users, nor
// does a /proc that was mounted for another PID namespace.
func Gone(pid int, start uint64) bool {
	if pid <= 0 {
		return false
	}
	if p, err := os.FindProcess(pid); err == nil {
		err = p.Signal(syscall.Signal(0))
		_ = p.Release()
		if errors.Is(err, os.ErrProcessDone) {
			return true
		}
	}
	if own, err := os.Readlink("/proc/self"); err != nil || own != strconv.Itoa(os.Getpid()) {
		return false
	}
	state, now, err := processStat(strconv.Itoa(pid))
	return err == nil && (state == 'Z' || state == 'X' || start != 0 && now != start)
}

func processStat(pid string) (state byte, start uint64, err error) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, 0, err
	}
	return parseStat(stat)
}

// parseStat reads fields 3 and 22 of /proc/PID/stat. Field 2 is the command's
// name in parentheses, which may hold spaces and parentheses of its own.
func parseStat(stat []byte) (state byte, start uint64, err error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return 0, 0, fmt.Errorf("process status of %d fields", len(fields))
	}
	start, err = strconv.ParseUint(string(fields[19]), 10, 64)
	return fields[0][0], start, err
}

// IsSuspended reports whether a process is known to be stopped by a signal.
func IsSuspended(pid int) bool {
	state, _, err := processStat(strconv.Itoa(pid))
	return err == nil && (state == 'T' || state == 't')
}
