package tracker

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// initialTime is the time namespace of a machine, whose number the kernel never
// changes. Leases of programs that did not know of others are of it.
const initialTime = "time:[4026531834]"

// bootID returns the boot of this machine, the namespace in which its process IDs mean
// something and, unless it is the initial one, that in which times since boot do.
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

// processGone says whether the process that had that ID and start time has provably
// ended. A missing folder in /proc proves nothing: hidepid hides the processes
// of others. Nor does a /proc that was mounted for another PID namespace.
func processGone(pid int, start uint64) bool {
	if pid <= 0 {
		return false
	}
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return true
	}
	if own, err := os.Readlink("/proc/self"); err != nil || own != strconv.Itoa(os.Getpid()) {
		return false
	}
	state, now, err := processStat(strconv.Itoa(pid))
	return err == nil && (state == 'Z' || state == 'X' || start != 0 && now != start)
}

// ownStartTime returns when this process began, in ticks since boot, 0 where that is not
// known. Its number may be another process's in a /proc of another namespace.
func ownStartTime() uint64 {
	_, start, _ := processStat("self")
	return start
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
