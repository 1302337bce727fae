package memory

import (
	"fmt"
	"testing"
	"testing/fstest"
)

// TestGroupFree: the memory that control groups leave, in both versions, nested, and as seen by a
// container. The files are as Linux 6.1 writes them.
func TestGroupFree(t *testing.T) {
	const (
		mount1 = "35 25 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n36 25 0:31 %s " +
			"/sys/fs/cgroup/memory rw,nosuid shared:1 - cgroup cgroup rw,memory\n"
		own2 = "25 24 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	)
	for name, tt := range map[string]struct {
		files map[string]string
		want  int64 // -1 for not known
	}{
		"none": {map[string]string{"proc/self/cgroup": "0::/\n"}, -1},
		"version 2, the group above is tighter": {map[string]string{
			"proc/self/cgroup": "0::/user.slice/job\n", "proc/self/mountinfo": own2,
			"sys/fs/cgroup/user.slice/job/memory.max": "max\n", "sys/fs/cgroup/user.slice/job/memory.current": "5\n",
			"sys/fs/cgroup/user.slice/memory.max": "1000\n", "sys/fs/cgroup/user.slice/memory.current": "700\n",
			"sys/fs/cgroup/user.slice/memory.stat": "anon 1\nfile 300\ninactive_file 200\n",
		}, 500},
		"version 2, over its limit": {map[string]string{
			"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": own2,
			"sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/memory.current": "1100\n",
		}, 0},
		"version 1": {map[string]string{
			"proc/self/cgroup":    "12:cpu,cpuacct:/x\n7:memory:/slurm/uid_0/job_1\n0::/\n",
			"proc/self/mountinfo": fmt.Sprintf(mount1, "/") + own2,
			"sys/fs/cgroup/memory/slurm/uid_0/job_1/memory.limit_in_bytes": "1000\n",
			"sys/fs/cgroup/memory/slurm/uid_0/job_1/memory.usage_in_bytes": "900\n",
			"sys/fs/cgroup/memory/slurm/uid_0/job_1/memory.stat": "inactive_file 1\ntotal_inactive_file " +
				"300\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "5\n",
		}, 400},
		"version 1, in a container that sees its group as the top": {map[string]string{
			"proc/self/cgroup": "7:memory:/docker/f00\n", "proc/self/mountinfo": fmt.Sprintf(mount1, "/docker/f00"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "1000\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "400\n",
		}, 600},
	} {
		t.Run(name, func(t *testing.T) {
			system := fstest.MapFS{}
			for file, text := range tt.files {
				system[file] = &fstest.MapFile{Data: []byte(text)}
			}
			free, known := groupFree(system)
			if !known {
				free = -1
			}
			if free != tt.want {
				t.Errorf("%d free, want %d", free, tt.want)
			}
		})
	}
}

// TestFieldOf: a name does not match a longer one.
func TestFieldOf(t *testing.T) {
	system := fstest.MapFS{"f": {Data: []byte("MemAvailableX: 1 kB\nMemAvailable:   23 kB\n")}}
	if n, ok := readField(system, "f", "MemAvailable:"); n != 23 || !ok {
		t.Errorf("%d, %v", n, ok)
	}
	if _, ok := readField(system, "f", "MemFree:"); ok {
		t.Error("there is no such line")
	}
}
