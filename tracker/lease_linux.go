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

// boot is the boot of this machine and the namespace in which its process IDs
// mean something.
func boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id)) + " " + namespace
}

// gone says whether the process that had that ID and start time has provably
// ended. A missing folder in /proc proves nothing: hidepid hides the processes
// of others.
func gone(pid int, start uint64) bool {
	if pid <= 0 {
		return false
	}
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return true
	}
	state, now, err := processStat(pid)
	return err == nil && (state == 'Z' || state == 'X' || start != 0 && now != start)
}

// processStart is when the process began, in ticks since boot.
func processStart(pid int) (uint64, error) {
	_, start, err := processStat(pid)
	return start, err
}

func processStat(pid int) (state byte, start uint64, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
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
