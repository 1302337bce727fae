package memory

import (
	"fmt"
	"io/fs"
	"iter"
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

// The runtime's heap grows by arenas of 64 MiB of addresses, and garbage is not freed at once.
const (
	addressReserve = 64<<20 + threadAddresses
	dataReserve    = 64 << 20
)

const (
	machineRemedy = "use a machine with more memory, or end other processes that take memory here"
	groupRemedy   = "give its control group more memory, as sbatch --mem or docker run --memory do"
	addressRemedy = "raise the limit on addresses (ulimit -v): small runs need 2500000"
	dataRemedy    = "raise the limit on data: ulimit -d"
)

// readLimits returns the limits by the machine's memory, by the control groups of this process,
// and by its resource limits on addresses and data.
func readLimits() []bound {
	system := os.DirFS("/")
	held, released := readHeapFree()
	var limits []bound
	add := func(free int64, known bool, limit bound) {
		if known {
			limit.free += max(0, free)
			limits = append(limits, limit)
		}
	}
	kib, known := readField(system, "proc/meminfo", "MemAvailable:")
	add(kib<<10, known, bound{free: held, remedy: machineRemedy})
	free, known := groupFree(system)
	add(free, known, bound{free: held, remedy: groupRemedy, hard: true})
	free, known = limitFree(system, unix.RLIMIT_AS, "VmSize", addressReserve)
	add(free, known, bound{free: held + released, remedy: addressRemedy, hard: true})
	free, known = limitFree(system, unix.RLIMIT_DATA, "VmData", dataReserve)
	add(free, known, bound{free: held + released, remedy: dataRemedy, hard: true})
	return limits
}

// heapAddresses is the size in bytes to which the heap of small runs grows, garbage included.
const heapAddresses = 96 << 20

// ReserveHeap reserves addresses for the heap of small runs if addresses are limited (ulimit -v), before
// threads and mapped files take them: the runtime ends a program whose heap cannot grow. It returns
// [ErrNotEnough] if too few are left.
func ReserveHeap() error {
	free, known := limitFree(os.DirFS("/"), unix.RLIMIT_AS, "VmSize", addressReserve)
	if !known {
		return nil
	}
	if free < heapAddresses {
		return schema.Hint(fmt.Errorf("%w: the limit on addresses leaves %d MiB for the heap, which needs %d",
			ErrNotEnough, max(0, free)>>20, heapAddresses>>20), "%s", addressRemedy)
	}
	_ = make([]byte, heapAddresses) // never touched, so it takes only addresses
	debug.FreeOSMemory()            // the heap keeps the addresses
	return nil
}

// limitFree returns the bytes that a resource limit leaves, after a reserve and what the process uses by a
// field of /proc/self/status in KiB.
func limitFree(system fs.FS, resource int, field string, reserve int64) (int64, bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(resource, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return 0, false
	}
	kib, ok := readField(system, "proc/self/status", field+":")
	return int64(limit.Cur) - kib<<10 - reserve, ok
}

// A groupVersion describes the memory files of one version of control groups.
type groupVersion struct {
	filesystem  string // type of the mount
	limit, used string // files of a group with numbers of bytes
	cached      string // line of memory.stat with the droppable file cache
	controller  string // in the mount's options and in /proc/self/cgroup; "" in version 2
}

var groupVersions = []groupVersion{
	{filesystem: "cgroup2", limit: "memory.max", used: "memory.current", cached: "inactive_file"},
	{filesystem: "cgroup", limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes", cached: "total_inactive_file",
		controller: "memory"},
}

// groupFree returns the smallest number of bytes left in this process's control groups and their parents.
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

// folders returns the folders of this process's group and of the groups above it, up to the mount
// point, relative to the root of the file system.
func (g groupVersion) folders(system fs.FS) (folders []string) {
	group, ok := g.group(system)
	mount, top, mounted := g.mount(system)
	if !ok || !mounted {
		return nil
	}
	below := strings.TrimPrefix(group, strings.TrimSuffix(top, "/")) // a container may see only its own group
	for below = path.Clean("/" + below); ; below = path.Dir(below) {
		folders = append(folders, strings.TrimPrefix(path.Join(mount, below), "/"))
		if below == "/" {
			return folders
		}
	}
}

// group returns the process's group according to /proc/self/cgroup, whose lines are number:controllers:path.
func (g groupVersion) group(system fs.FS) (group string, ok bool) {
	for line := range readLines(system, "proc/self/cgroup") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) == 3 && slices.Contains(strings.Split(parts[1], ","), g.controller) {
			return parts[2], true
		}
	}
	return "", false
}

// mount returns the mount point of the version's groups and the group that is mounted there, by /proc/self/mountinfo
// (proc(5)): the 4th field is the group, the 5th the mount point; after a dash follow type, source and options.
func (g groupVersion) mount(system fs.FS) (place, top string, ok bool) {
	for line := range readLines(system, "proc/self/mountinfo") {
		before, after, _ := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if len(fields) < 5 || len(kind) < 3 || kind[0] != g.filesystem {
			continue
		}
		if g.controller == "" || slices.Contains(strings.Split(kind[2], ","), g.controller) {
			return fields[4], fields[3], true
		}
	}
	return "", "", false
}

// left returns the bytes that a group has left, counting cached files as free.
func (g groupVersion) left(system fs.FS, folder string) (int64, bool) {
	most, limited := readNumber(system, path.Join(folder, g.limit))
	used, ok := readNumber(system, path.Join(folder, g.used))
	if !limited || !ok {
		return 0, false
	}
	cached, _ := readField(system, path.Join(folder, "memory.stat"), g.cached)
	return max(0, most-used+cached), true
}

// readNumber reads a file that holds one number. A group without a limit has "max" instead.
func readNumber(system fs.FS, file string) (int64, bool) {
	text, err := fs.ReadFile(system, file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// readField returns the number after a name in a file with a name and a number on each line.
func readField(system fs.FS, file, name string) (n int64, ok bool) {
	for line := range readLines(system, file) {
		if rest, found := strings.CutPrefix(line, name); found && strings.TrimLeft(rest, " \t") != rest {
			found, _ := fmt.Sscan(rest, &n)
			return n, found == 1
		}
	}
	return 0, false
}

// readLines yields the lines of a file, none if it cannot be read.
func readLines(system fs.FS, file string) iter.Seq[string] {
	text, _ := fs.ReadFile(system, file)
	return strings.SplitSeq(string(text), "\n")
}
