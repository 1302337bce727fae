package tracker

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// freeMemory is how many bytes this process can still have: of the machine's
// memory, of what its control groups (version 2) leave it, and of its own limit
// on addresses.
func freeMemory() (free int64, known bool) {
	for _, limit := range []func() (int64, bool){machineFree, groupFree, addressesFree} {
		if n, ok := limit(); ok && (!known || n < free) {
			free, known = n, true
		}
	}
	return free, known
}

func machineFree() (int64, bool) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	return available(info)
}

// available reads the line MemAvailable of /proc/meminfo, in KiB.
func available(meminfo []byte) (int64, bool) {
	lines := bufio.NewScanner(bytes.NewReader(meminfo))
	for lines.Scan() {
		var kib int64
		if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10, true
		}
	}
	return 0, false
}

// groupFree is the least that is left in this process's group and those above.
func groupFree() (free int64, known bool) {
	mine, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	group, ok := strings.CutPrefix(strings.TrimSpace(string(mine)), "0::")
	if !ok {
		return 0, false
	}
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		folder := "/sys/fs/cgroup" + group
		if n, ok := groupLeft(folder); ok && (!known || n < free) {
			free, known = n, true
		}
		if group == "/" {
			return free, known
		}
	}
}

// groupLeft is what a group has left, counting files that are only cached as free.
func groupLeft(folder string) (int64, bool) {
	most, ok := number(folder + "/memory.max")
	if !ok {
		return 0, false
	}
	used, ok := number(folder + "/memory.current")
	stat, err := os.ReadFile(folder + "/memory.stat")
	if !ok || err != nil {
		return 0, false
	}
	return max(0, most-used+cached(stat)), true
}

// cached reads the line inactive_file of memory.stat, in bytes.
func cached(stat []byte) int64 {
	lines := bufio.NewScanner(bytes.NewReader(stat))
	for lines.Scan() {
		var n int64
		if found, _ := fmt.Sscanf(lines.Text(), "inactive_file %d", &n); found == 1 {
			return n
		}
	}
	return 0
}

// number reads a file of one number. A group without a limit says "max".
func number(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// addressesFree is what ulimit -v leaves.
func addressesFree() (int64, bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur > 1<<62 {
		return 0, false
	}
	var pages int64
	mine, err := os.ReadFile("/proc/self/statm")
	if n, _ := fmt.Sscanf(string(mine), "%d", &pages); err != nil || n != 1 {
		return 0, false
	}
	return max(0, int64(limit.Cur)-pages*int64(os.Getpagesize())), true
}
