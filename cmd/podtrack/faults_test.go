package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var faultsEach = flag.Int("faults", 2, "fail so many of the system calls of each kind that a command makes; 0 fails every one")

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

// tinyRun takes a few milliseconds and has options.
var tinyRun = []string{"--bits", "4", "--steps", "40", "--iterations", "2"}

// disturbed are commands that write. Each works in a folder that setup prepares,
// which stands as STORE and DIR in its arguments.
var disturbed = []struct {
	name  string
	setup [][]string
	spoil bool // take records out of the store before the command
	args  []string
}{
	{name: "first run", args: append([]string{"run", "--store", "STORE"}, tinyRun...)},
	{name: "run", setup: [][]string{seeded("STORE", "0-2")}, args: seeded("STORE", "3-4")},
	{name: "extend", setup: [][]string{seeded("STORE", "0-2")}, args: []string{"resume", "--store", "STORE", "seed=0-2", "--iterations", "3"}},
	{name: "tag", setup: [][]string{seeded("STORE", "0-2")}, args: []string{"tag", "--store", "STORE", "@1", "good"}},
	{name: "rm", setup: [][]string{seeded("STORE", "0-2")}, args: []string{"rm", "--yes", "--store", "STORE", "seed=1"}},
	{
		name: "merge", setup: [][]string{seeded("STORE", "0-1"), seeded("DIR/other.db", "1-3")},
		args: []string{"merge", "--store", "STORE", "DIR/other.db"},
	},
	{name: "prune", setup: [][]string{seeded("STORE", "0-2")}, args: []string{"prune", "--store", "STORE", "--keep", "none"}},
	{
		name: "unprune", setup: [][]string{seeded("STORE", "0-2"), {"prune", "--store", "STORE", "--keep", "none"}},
		args: []string{"repair", "--pruned", "--store", "STORE"},
	},
	{
		name: "compact", setup: [][]string{seeded("STORE", "0-2"), {"rm", "--yes", "--store", "STORE", "seed=1"}},
		args: []string{"compact", "--store", "STORE"},
	},
	{name: "repair", setup: [][]string{seeded("STORE", "0-2")}, spoil: true, args: []string{"repair", "--store", "STORE"}},
	{name: "npz", setup: [][]string{seeded("STORE", "0-1")}, args: []string{"export", "--store", "STORE", "seed=0-1", "-o", "DIR/runs.npz"}},
	{
		name: "bundle", setup: [][]string{seeded("STORE", "0-1")},
		args: []string{"export", "--store", "STORE", "seed=0-1", "--format", "bundle", "-o", "DIR/runs.db"},
	},
}

func seeded(store, seeds string) []string {
	return append([]string{"run", "--store", store, "--seeds", seeds}, tinyRun...)
}

// TestFaultsBelow lets the system calls of commands fail, one at a time. The
// command says so, with a remedy; what was there before is there, and nothing
// else; and without the fault the same command does its work.
func TestFaultsBelow(t *testing.T) {
	needsTrace(t)
	path, err := exec.LookPath("podtrack")
	ok(t, err)
	var mu sync.Mutex
	counted := map[string]int{}
	t.Run("commands", func(t *testing.T) {
		for _, d := range disturbed {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				b := &bench{program: path, args: d.args, spoiled: d.spoil, template: t.TempDir(), counted: map[string]int{}}
				b.prepare(t, d.setup)
				b.disturb(t)
				mu.Lock()
				defer mu.Unlock()
				for what, n := range b.counted {
					counted[what] += n
				}
			})
		}
	})
	t.Log(counted)
	for _, what := range []string{"pwrite64", "fdatasync", "renameat", "linkat", "failed", "done all the same"} {
		if counted[what] == 0 {
			t.Errorf("none is %s: %v", what, counted)
		}
	}
}

// bench is where one command is disturbed.
type bench struct {
	program  string
	args     []string
	spoiled  bool
	template string // the folder before the command

	before, after chains
	files         []string    // that are there after the command
	calls         []syscalled // about the folder
	counted       map[string]int
}

func (b *bench) prepare(t *testing.T, setup [][]string) {
	for _, args := range setup {
		if code, _, stderr := podtrack(in(b.template, args)...); code != 0 {
			t.Fatal(stderr)
		}
	}
	store := filepath.Join(b.template, "store.db")
	var err error
	b.before, err = look(t.Context(), store)
	ok(t, err)
	if b.spoiled {
		spoil(t, store)
	}
	dir := b.copy(t)
	kinds := []string{}
	for _, k := range faultKinds {
		kinds = append(kinds, k.call)
	}
	p, calls := trace(t, b.program, []string{"-e", "trace=" + strings.Join(kinds, ",")}, nil, in(dir, b.args))
	if p.ProcessState.ExitCode() != 0 {
		t.Fatal(p.stderr.String())
	}
	b.calls = slices.DeleteFunc(calls, func(c syscalled) bool { return !c.about(dir) })
	b.after, err = look(t.Context(), filepath.Join(dir, "store.db"))
	ok(t, err)
	b.files = filesIn(t, dir)
}

// in puts a folder's paths into arguments.
func in(dir string, args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		args[i] = strings.NewReplacer("STORE", filepath.Join(dir, "store.db"), "DIR", dir).Replace(a)
	}
	return args
}

func (b *bench) copy(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(b.template+"/..", "attempt")
	ok(t, err)
	dir = filepath.Clean(dir)
	ok(t, os.CopyFS(dir, os.DirFS(b.template)))
	return dir
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	ok(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// disturb fails calls of each kind, at places that are spread evenly.
func (b *bench) disturb(t *testing.T) {
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
	}
}

// places are the numbers of the calls to fail.
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

// attempt gives the command with one fault, and then without. It returns which of
// the calls about the folder failed, counted from 0.
func (b *bench) attempt(t *testing.T, call, errno string, n int) (hit []int) {
	dir := b.copy(t)
	defer os.RemoveAll(dir)
	inject := fmt.Sprintf("inject=%s:error=%s:when=%d", call, errno, n)
	p, calls := trace(t, b.program, []string{"-e", "trace=" + call, "-e", inject}, nil, in(dir, b.args))
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
	if err := b.judge(t, p, dir, call); err != nil {
		t.Errorf("%s: exit code %d\n%s%v", inject, p.ProcessState.ExitCode(), p.stderr.String(), err)
	}
	return hit
}

// judge looks at what a disturbed command said and left.
func (b *bench) judge(t *testing.T, p *program, dir, call string) error {
	code := p.ProcessState.ExitCode()
	if code == 0 {
		b.counted["done all the same"]++
		return b.done(t, dir, call)
	}
	b.counted["failed"]++
	if code != exitFailure {
		return fmt.Errorf("want exit code %d", exitFailure)
	}
	if why := badWords(p.stderr.String()); why != "" {
		return errors.New(why)
	}
	if err := b.left(t, dir, call); err != nil {
		return err
	}
	return b.again(t, dir, call)
}

// done holds what is there to what an undisturbed command leaves.
func (b *bench) done(t *testing.T, dir, call string) error {
	now, err := look(t.Context(), filepath.Join(dir, "store.db"))
	if err != nil {
		return err
	}
	if !now.equal(b.after) {
		return fmt.Errorf("the store has %v, is to have %v", now, b.after)
	}
	if strange := b.strange(t, dir, call); len(strange) > 0 {
		return fmt.Errorf("there are the files %v", strange)
	}
	return nil
}

// strange are the files that the undisturbed command would not have left. What
// cannot be removed, or looked at to remove it, stays until a later compaction.
func (b *bench) strange(t *testing.T, dir, call string) []string {
	return slices.DeleteFunc(filesIn(t, dir), func(name string) bool {
		return slices.Contains(b.files, name) || (call == "unlinkat" || call == "openat") && strings.HasPrefix(name, ".podtrack-")
	})
}

// left holds what is there after a failure to what was there before it.
func (b *bench) left(t *testing.T, dir, call string) error {
	store := filepath.Join(dir, "store.db")
	if strange := b.strange(t, dir, call); len(strange) > 0 {
		return fmt.Errorf("left behind: %v", strange)
	}
	if b.spoiled && sameFiles(t, store, filepath.Join(b.template, "store.db")) {
		return nil
	}
	now, err := look(t.Context(), store)
	if err != nil {
		return err
	}
	if err := now.between(b.before, b.after); err != nil || len(b.before) == 0 {
		return err
	}
	args := []string{"replay", "--store", store}
	for id := range now {
		if _, was := b.before[id]; was {
			args = append(args, id.String())
		}
	}
	if len(args) == 3 {
		return nil
	}
	if code, _, stderr := podtrack(args...); code != 0 {
		return errors.New(stderr)
	}
	return nil
}

func sameFiles(t *testing.T, a, b string) bool {
	t.Helper()
	one, err := os.ReadFile(a)
	ok(t, err)
	other, err := os.ReadFile(b)
	ok(t, err)
	return bytes.Equal(one, other)
}

// again gives the command without a fault, unless it has done its work.
func (b *bench) again(t *testing.T, dir, call string) error {
	if !b.before.equal(b.after) && b.done(t, dir, call) == nil {
		return nil
	}
	if code, _, stderr := podtrack(in(dir, b.args)...); code != 0 {
		return fmt.Errorf("again: exit code %d\n%s", code, stderr)
	}
	return b.done(t, dir, call)
}
