// Package faults tests what the program makes of everything that can go wrong: processes that are killed, interrupted
// or suspended, and how others continue from what they leave; system calls that fail, disks that are full, and power
// that is lost; stores and bundles that were damaged or forged; hostile texts, files and requests, and limits on what
// the program may take.
package faults

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
)

var faultsEach = flag.Int("faults", schematest.Size(1, 2),
	"fail so many of the system calls of each kind that a command makes; 0 fails every one")

// faultKinds are the system calls that fail, and how. Those that read are among
// them: a disk that cannot be read is no reason for a panic.
var faultKinds = []struct {
	call   string
	errors []string
}{
	{"pwrite64", []string{"ENOSPC", "EIO"}},
	{"write", []string{"ENOSPC", "EIO"}},
	{"fdatasync", []string{"EIO", "ENOSPC"}},
	{"fsync", []string{"EIO", "ENOSPC"}},
	{"ftruncate", []string{"ENOSPC", "EIO"}},
	{"renameat", []string{"EIO", "ENOSPC"}},
	{"linkat", []string{"EIO", "ENOSPC", "EPERM"}},
	{"unlinkat", []string{"EIO"}},
	{"mkdirat", []string{"ENOSPC"}},
	{"openat", []string{"EIO", "ENOSPC", "EMFILE"}},
	{"pread64", []string{"EIO"}},
	{"flock", []string{"ENOLCK"}},
	{"fchmod", []string{"EIO"}},
}

// TestFaultsBelow lets the system calls of commands fail, one at a time. The
// command says so, with a remedy; what was there before is there, and nothing
// else; and without the fault the same command does its work.
func TestFaultsBelow(t *testing.T) {
	t.Parallel()
	needsTrace(t)
	counted := everyCommand(t, true, func(t *testing.T, b *bench) { b.disturb(t) })
	t.Log(counted)
	for _, what := range []string{"pwrite64", "fdatasync", "renameat", "linkat", "failed", "done all the same"} {
		if counted[what] == 0 {
			t.Errorf("none is %s: %v", what, counted)
		}
	}
}

// disturb fails calls of each kind, at places that are spread evenly.
func (b *bench) disturb(t *testing.T) {
	b.count(t)
	for _, kind := range faultKinds {
		places := b.places(kind.call)
		hit := map[int]bool{}
		for i, n := range places {
			for _, errno := range kind.errors {
				if *faultsEach > 0 && errno != kind.errors[i%len(kind.errors)] {
					continue
				}
				for _, which := range b.attempt(t, kind.call, errno, n) {
					hit[which] = true
				}
				if t.Failed() {
					return
				}
			}
		}
		b.counted[kind.call] += len(hit)
		b.counted["calls in all"] += len(slices.DeleteFunc(slices.Clone(b.calls),
			func(c syscalled) bool { return c.name != kind.call }))
	}
}

// count traces the command to see which calls it makes.
func (b *bench) count(t *testing.T) {
	t.Helper()
	dir := b.copy(t)
	kinds := []string{}
	for _, k := range faultKinds {
		kinds = append(kinds, k.call)
	}
	p, calls := trace(t, b.program, []string{"-e", "trace=" + strings.Join(kinds, ",")}, nil, inDir(dir, b.args))
	if p.ProcessState.ExitCode() != 0 {
		t.Fatal(p.Said.String())
	}
	b.calls = slices.DeleteFunc(calls, func(c syscalled) bool { return !c.about(dir) })
}

// places returns the numbers of the calls to fail.
func (b *bench) places(call string) (chosen []int) {
	var all []int
	for _, c := range b.calls {
		if c.name == call {
			all = append(all, c.nth)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if *faultsEach == 0 || len(all) <= *faultsEach {
		return all
	}
	for i := range *faultsEach {
		chosen = append(chosen, all[i*(len(all)-1)/max(*faultsEach-1, 1)])
	}
	return chosen
}

// attempt executes the command with one fault, and then without. It returns which of the calls about the folder failed,
// counted from 0.
func (b *bench) attempt(t *testing.T, call, errno string, n int) (hit []int) {
	dir := b.copy(t)
	defer os.RemoveAll(dir)
	inject := fmt.Sprintf("inject=%s:error=%s:when=%d", call, errno, n)
	p, calls := trace(t, b.program, []string{"-e", "trace=" + call, "-e", inject}, nil, inDir(dir, b.args))
	which, beside := 0, false
	for _, c := range calls {
		if c.about(dir) {
			if c.injected {
				hit = append(hit, which)
			}
			which++
		} else if c.injected {
			beside = true
		}
	}
	if beside { // also another thread's n-th call failed, which can be what prints the error
		b.counted["beside"]++
		return nil
	}
	if err := b.checkAfter(t, p, dir, call); err != nil {
		t.Errorf("%s: exit code %d\n%s%v", inject, p.ProcessState.ExitCode(), p.Said.String(), err)
	}
	return hit
}
