package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestFullDisk executes commands on a real disk of a few MB that is full, or nearly so: a write can be cut short, and a
// file can grow beyond the free space.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t)
	counted := everyCommand(t, false, func(t *testing.T, b *bench) {
		for _, room := range []int64{0, 4 << 10, 20 << 10, 52 << 10, 150 << 10} {
			b.crowd(t, disk, room)
		}
	})
	t.Log(counted)
	if counted["failed"] == 0 {
		t.Error("the disk was never full")
	}
}

// crowd executes the command on a disk with only that much space, and then on one with enough.
func (b *bench) crowd(t *testing.T, disk string, room int64) {
	t.Helper()
	dir, filler := b.copyTo(t, disk), filepath.Join(disk, "filler")
	defer os.RemoveAll(dir)
	b.restore = func() { _ = os.Remove(filler) }
	defer b.restore()
	fillDisk(t, filler, room)
	p := e2e.Start(t, inDir(dir, b.args)...)
	_ = p.Wait()
	if err := b.checkAfter(t, p, dir, "pwrite64"); err != nil {
		t.Errorf("%d bytes of room: exit code %d\n%s%v", room, p.ProcessState.ExitCode(), p.Said.String(), err)
	}
	if words := p.Said.String(); p.ProcessState.ExitCode() != 0 && !strings.Contains(words, "space") {
		t.Errorf("%d bytes of room: nothing is said of it:\n%s", room, words)
	}
}

// TestFileSizeLimit executes commands under a limit on the size of files: the system cuts short a write that goes
// beyond it.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "prlimit")
	counted := everyCommand(t, true, func(t *testing.T, b *bench) {
		for _, most := range []int{100, 1_000, 10_000, 70_000, 150_000} {
			b.limit(t, most)
		}
	})
	t.Log(counted)
	if counted["failed"] == 0 {
		t.Error("no file was ever too large")
	}
}

func (b *bench) limit(t *testing.T, most int) {
	t.Helper()
	dir := b.copy(t)
	defer os.RemoveAll(dir)
	p := &e2e.Program{Cmd: exec.Command("prlimit",
		append([]string{fmt.Sprintf("--fsize=%d", most), b.program}, inDir(dir, b.args)...)...)}
	p.Stdout, p.Stderr = &p.Printed, &p.Said
	_ = p.Run()
	if err := b.checkAfter(t, p, dir, "pwrite64"); err != nil {
		t.Errorf("files of at most %d bytes: exit code %d\n%s%v", most, p.ProcessState.ExitCode(), p.Said.String(), err)
	}
	if words := p.Said.String(); p.ProcessState.ExitCode() != 0 && !strings.Contains(words, "ulimit -f") {
		t.Errorf("files of at most %d bytes: the limit is not named:\n%s", most, words)
	}
}

// TestNoInodes executes commands on a disk that has space, but room for no other file: the error names files, not
// space.
func TestNoInodes(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "nr_inodes=12")
	store := filepath.Join(disk, "p.db")
	e2e.Perform(t, "run", "--store", store, "--bits", "4", "--steps", "50", "--iterations", "2")
	for i := 0; ; i++ {
		if os.WriteFile(filepath.Join(disk, fmt.Sprint("filler", i)), nil, 0o600) != nil {
			break
		}
	}
	for _, args := range [][]string{
		{"compact", "--store", store}, {"backup", "--store", store, filepath.Join(disk, "copy.db")},
		{"export", "@1", "--store", store, "-o", filepath.Join(disk, "out.npz")},
		{"run", "--store", filepath.Join(disk, "new.db"), "--bits", "4", "--steps", "50", "--iterations", "2"},
		{"plot", "walk", "@1", "--store", store, "-o", filepath.Join(disk, "walk.svg")},
	} {
		code, _, stderr := e2e.Podtrack(args...)
		if code != cmdline.ExitFailure || !strings.Contains(stderr, "none for another file") ||
			strings.Contains(stderr, "free some space") {
			t.Errorf("%s: exit code %d\n%s", args[0], code, stderr)
		}
	}
}
