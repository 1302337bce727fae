package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

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
	{name: "extend", setup: [][]string{seeded("STORE", "0-2")},
		args: []string{"resume", "--store", "STORE", "seed=0-2", "--iterations", "3"}},
	{name: "label", setup: [][]string{seeded("STORE", "0-2")},
		args: []string{"label", "--store", "STORE", "@1", "--tag", "good"}},
	{name: "rm", setup: [][]string{seeded("STORE", "0-2")}, args: []string{"rm", "--yes", "--store", "STORE",
		"seed=1"}},
	{
		name: "merge", setup: [][]string{seeded("STORE", "0-1"), seeded("DIR/other.db", "1-3")},
		args: []string{"merge", "--store", "STORE", "DIR/other.db"},
	},
	{
		name:  "unprune",
		setup: [][]string{append(seeded("STORE", "0-2"), "--keep", "none")},
		args:  []string{"repair", "--pruned", "--store", "STORE"},
	},
	{
		name: "compact", setup: [][]string{seeded("STORE", "0-2"), {"rm", "--yes", "--store", "STORE", "seed=1"}},
		args: []string{"compact", "--store", "STORE"},
	},
	{name: "backup", setup: [][]string{seeded("STORE", "0-2")},
		args: []string{"backup", "DIR/backup.db", "--store", "STORE"}},
	{name: "repair", setup: [][]string{seeded("STORE", "0-2")}, spoil: true, args: []string{"repair", "--store",
		"STORE"}},
	{name: "npz", setup: [][]string{seeded("STORE", "0-1")},
		args: []string{"export", "--store", "STORE", "seed=0-1", "-o", "DIR/runs.npz"}},
	{
		name: "bundle", setup: [][]string{seeded("STORE", "0-1")},
		args: []string{"export", "--store", "STORE", "seed=0-1", "--format", "bundle", "-o", "DIR/runs.db"},
	},
}

// fewCommands are enough to come to every kind of system call.
var fewCommands = []string{"first run", "merge", "compact", "npz"}

// everyCommand disturbs each command on a bench of its own, or a few of them unless
// long tests are wanted, and returns what was counted on all of them.
func everyCommand(t *testing.T, parallel bool, disturb func(*testing.T, *bench)) map[string]int {
	t.Helper()
	var mu sync.Mutex
	counted := map[string]int{}
	t.Run("commands", func(t *testing.T) {
		for _, d := range disturbed {
			if !schematest.Long() && !slices.Contains(fewCommands, d.name) {
				continue
			}
			t.Run(d.name, func(t *testing.T) {
				if parallel {
					t.Parallel()
				}
				b := newBench(t, d.name)
				disturb(t, b)
				mu.Lock()
				defer mu.Unlock()
				for what, n := range b.counted {
					counted[what] += n
				}
			})
		}
	})
	return counted
}

// bench is where one command is disturbed.
type bench struct {
	program  string
	args     []string
	spoiled  bool
	template string // the folder before the command
	restore  func() // removes what disturbs every process, nil if nothing does

	before, after chains
	files         []string    // that are there after the command
	calls         []syscalled // about the folder
	counted       map[string]int
}

// newBench prepares the folder of a command, and executes the command in a copy of it, undisturbed.
func newBench(t *testing.T, name string) *bench {
	t.Helper()
	path, err := exec.LookPath("podtrack")
	e2e.Must(t, err)
	b := &bench{program: path, template: t.TempDir(), counted: map[string]int{}}
	for _, d := range disturbed {
		if d.name == name {
			b.args, b.spoiled = d.args, d.spoil
			b.prepare(t, d.setup)
		}
	}
	return b
}

func (b *bench) prepare(t *testing.T, setup [][]string) {
	for _, args := range setup {
		if code, _, stderr := e2e.Podtrack(inDir(b.template, args)...); code != 0 {
			t.Fatal(stderr)
		}
	}
	store := filepath.Join(b.template, "store.db")
	var err error
	b.before, err = look(t.Context(), store)
	e2e.Must(t, err)
	if b.spoiled {
		spoilStore(t, store)
	}
	dir := b.copy(t)
	if code, _, stderr := e2e.Podtrack(inDir(dir, b.args)...); code != 0 {
		t.Fatal(stderr)
	}
	b.after, err = look(t.Context(), filepath.Join(dir, "store.db"))
	e2e.Must(t, err)
	b.files = filesIn(t, dir)
}

// copy gives a folder that is as the command finds it.
func (b *bench) copy(t *testing.T) string {
	t.Helper()
	return b.copyTo(t, filepath.Dir(b.template))
}

func (b *bench) copyTo(t *testing.T, parent string) string {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "attempt")
	e2e.Must(t, err)
	e2e.Must(t, os.CopyFS(dir, os.DirFS(b.template)))
	return dir
}
