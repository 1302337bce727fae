package tracker

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/podtrack/podtrack/schema"
)

// The runtime's heap grows by arenas of 64 MiB of addresses, and what is garbage is
// still there for a while.
const (
	addressReserve = 64<<20 + threadAddresses
	dataReserve    = 64 << 20
)

const (
	machineRemedy = "use a machine with more memory, or end what takes it here"
	groupRemedy   = "give its control group more memory, as sbatch --mem or docker run --memory do"
	addressRemedy = "raise the limit on addresses (ulimit -v): small runs need 2500000"
	dataRemedy    = "raise the limit on data: ulimit -d"
)

// memoryLimits are those of the machine's memory, of the control groups that this
// process is in, and of its own limits on addresses and data.
func memoryLimits() []memoryLimit {
	system := os.DirFS("/")
	held, released := readHeapFree()
	var limits []memoryLimit
	add := func(free int64, known bool, limit memoryLimit) {
		if known {
			limit.free += max(0, free)
			limits = append(limits, limit)
		}
	}
	free, known := machineFree(system)
	add(free, known, memoryLimit{free: held, remedy: machineRemedy})
	free, known = groupFree(system)
	add(free, known, memoryLimit{free: held, remedy: groupRemedy, hard: true})
	free, known = limitFree(system, unix.RLIMIT_AS, "VmSize", addressReserve)
	add(free, known, memoryLimit{free: held + released, remedy: addressRemedy, hard: true})
	free, known = limitFree(system, unix.RLIMIT_DATA, "VmData", dataReserve)
	add(free, known, memoryLimit{free: held + released, remedy: dataRemedy, hard: true})
	return limits
}

// heapAddresses is what the heap of small runs grows to, in bytes, with its garbage.
const heapAddresses = 96 << 20

// ReserveHeap makes sure that the heap of small runs has addresses if they are limited
// (ulimit -v), before threads and mapped files take them: the runtime ends a program
// whose heap finds none. It returns ErrMemory if too few are left.
func ReserveHeap() error {
	free, known := limitFree(os.DirFS("/"), unix.RLIMIT_AS, "VmSize", addressReserve)
	if !known {
		return nil
	}
	if free < heapAddresses {
		return schema.Hint(fmt.Errorf("%w: the limit on addresses leaves %d MiB for the heap, and %d are wanted", ErrMemory, max(0, free)>>20, heapAddresses>>20), "%s", addressRemedy)
	}
	_ = make([]byte, heapAddresses) // never touched: it takes addresses alone
	debug.FreeOSMemory()            // the heap keeps the addresses
	return nil
}

func machineFree(system fs.FS) (int64, bool) {
	kib, ok := readField(system, "proc/meminfo", "MemAvailable:")
	return kib << 10, ok
}

// limitFree returns what a resource limit leaves beside what the process has, which
// /proc/self/status names in KiB, and a reserve.
func limitFree(system fs.FS, resource int, field string, reserve int64) (int64, bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(resource, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return 0, false
	}
	kib, ok := readField(system, "proc/self/status", field+":")
	return int64(limit.Cur) - kib<<10 - reserve, ok
}

// A groupVersion is how one version of control groups tells of memory.
type groupVersion struct {
	filesystem  string // that it is mounted as
	limit, used string // files of a group, in bytes
	cached      string // line of memory.stat: files that can be dropped
	controller  string // in the options of the mount and in /proc/self/cgroup, none in version 2
}

var groupVersions = []groupVersion{
	{filesystem: "cgroup2", limit: "memory.max", used: "memory.current", cached: "inactive_file"},
	{filesystem: "cgroup", limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes", cached: "total_inactive_file", controller: "memory"},
}

// groupFree returns the least that is left in this process's groups and those above.
func groupFree(system fs.FS) (free int64, known bool) {
	for _, version := range groupVersions {
		for _, folder := range version.folders(system) {
			if left, ok := version.left(system, folder); ok && (!known || left < free) {
				free, known = left, true
			}
		}
	}
	return free, known
}

// folders are those of this process's group and of the ones above it, up to what is
// mounted, relative to the root of the file system.
func (v groupVersion) folders(system fs.FS) (folders []string) {
	group, ok := v.group(system)
	mount, top, mounted := v.mount(system)
	if !ok || !mounted {
		return nil
	}
	below := strings.TrimPrefix(group, strings.TrimSuffix(top, "/")) // a container may see its own group alone
	for below = path.Clean("/" + below); ; below = path.Dir(below) {
		folders = append(folders, strings.TrimPrefix(path.Join(mount, below), "/"))
		if below == "/" {
			return folders
		}
	}
}

// group is the process's, by /proc/self/cgroup, whose lines are number:controllers:path.
func (v groupVersion) group(system fs.FS) (group string, ok bool) {
	for line := range readLines(system, "proc/self/cgroup") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) == 3 && slices.Contains(strings.Split(parts[1], ","), v.controller) {
			return parts[2], true
		}
	}
	return "", false
}

// mount is where the version's groups are mounted, and which group is on top there, by
// /proc/self/mountinfo (proc(5)): the 4th field is the group, the 5th the place, and
// behind a dash stand type, source and options.
func (v groupVersion) mount(system fs.FS) (place, top string, ok bool) {
	for line := range readLines(system, "proc/self/mountinfo") {
		before, after, _ := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if len(fields) < 5 || len(kind) < 3 || kind[0] != v.filesystem {
			continue
		}
		if v.controller == "" || slices.Contains(strings.Split(kind[2], ","), v.controller) {
			return fields[4], fields[3], true
		}
	}
	return "", "", false
}

// left returns what a group has left, counting files that are only cached as free.
func (v groupVersion) left(system fs.FS, folder string) (int64, bool) {
	most, limited := readNumber(system, path.Join(folder, v.limit))
	used, ok := readNumber(system, path.Join(folder, v.used))
	if !limited || !ok {
		return 0, false
	}
	cached, _ := readField(system, path.Join(folder, "memory.stat"), v.cached)
	return max(0, most-used+cached), true
}

// readNumber reads a file of one number. A group without a limit says "max".
func readNumber(system fs.FS, file string) (int64, bool) {
	text, err := fs.ReadFile(system, file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// readField returns the number behind a name in a file of such lines.
func readField(system fs.FS, file, name string) (n int64, ok bool) {
	for line := range readLines(system, file) {
		if rest, found := strings.CutPrefix(line, name); found && strings.TrimLeft(rest, " \t") != rest {
			found, _ := fmt.Sscan(rest, &n)
			return n, found == 1
		}
	}
	return 0, false
}

func readLines(system fs.FS, file string) func(func(string) bool) {
	return func(yield func(string) bool) {
		text, err := fs.ReadFile(system, file)
		if err != nil {
			return
		}
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			if !yield(lines.Text()) {
				return
			}
		}
	}
}
