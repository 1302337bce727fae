package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// creators are commands that make temporary files, the points at which they are killed,
// and the commands after which nothing of that is left.
var creators = []struct {
	name   string
	setup  [][]string
	spoil  bool
	args   []string
	points []string
	after  [][]string
}{
	{
		name: "run", args: seeded("STORE", "0"), points: []string{"create.temp", "create.link", "create.unlink"},
		after: [][]string{seeded("STORE", "0"), {"compact", "--store", "STORE"}},
	},
	{
		name: "run, then repair", args: seeded("STORE", "0"), points: []string{"create.link"}, spoil: true,
		after: [][]string{seeded("STORE", "0"), {"repair", "--store", "STORE"}},
	},
	{
		name: "compact", setup: [][]string{seeded("STORE", "0")}, args: []string{"compact", "--store", "STORE"},
		points: []string{"compact.copied", "compact.renamed", "compact.synced"},
		after:  [][]string{{"compact", "--store", "STORE"}},
	},
	{
		name: "repair", setup: [][]string{seeded("STORE", "0")}, spoil: true, args: []string{"repair", "--store",
			"STORE"},
		points: []string{"update.commit", "repair.finished", "repair.link"},
		after:  [][]string{{"repair", "--store", "STORE"}},
	},
	{
		name: "export", setup: [][]string{seeded("STORE", "0")}, args: bundled, points: []string{"update.commit"},
		after: [][]string{bundled},
	},
	{
		name: "export elsewhere", setup: [][]string{seeded("STORE", "0")}, args: bundled,
		points: []string{"update.commit"},
		after:  [][]string{{"export", "--store", "STORE", "seed=0", "--format", "npz", "-o", "DIR/arrays.npz"}},
	},
}

var bundled = []string{"export", "--store", "STORE", "seed=0", "--format", "bundle", "--force", "-o", "DIR/runs.db"}

// TestKilledLeavesNothing kills commands that make temporary files. The commands that clean remove
// the leftovers and report them.
func TestKilledLeavesNothing(t *testing.T) {
	needsFaults(t)
	for _, c := range creators {
		for _, point := range append([]string{"tempdir.made", "tempdir.marked"}, c.points...) {
			t.Run(c.name+"/"+point, func(t *testing.T) {
				t.Parallel()
				template := t.TempDir()
				succeed(t, template, c.setup)
				if c.spoil && c.setup != nil {
					spoilStore(t, filepath.Join(template, "store.db"))
				}
				for n := 1; n <= schematest.Size(1, 4); n++ {
					dir := t.TempDir()
					e2e.Must(t, os.CopyFS(dir, os.DirFS(template)))
					if !killed(t, startFaulty(t, []string{fmt.Sprintf("PODTRACK_FAULT=%s:%d", point, n)}, inDir(dir,
						c.args)...)) {
						if n == 1 {
							t.Fatal("the command never comes to this point")
						}
						return
					}
					left := temporaryBelow(t, dir)
					words := succeed(t, dir, c.after[:len(c.after)-1])
					if c.spoil && c.setup == nil {
						spoilStore(t, filepath.Join(dir, "store.db"))
					}
					words += succeed(t, dir, c.after[len(c.after)-1:])
					if now := temporaryBelow(t, dir); len(now) > 0 {
						t.Errorf("killed at passing %d: left behind: %v", n, now)
					}
					for _, path := range left {
						if !strings.Contains(words, "removed "+path+", which") {
							t.Errorf("killed at passing %d: no output says that %s was removed:\n%s", n, path, words)
						}
					}
				}
			})
		}
	}
}

// TestKilledReclaiming kills a process that removes what a killed compaction left. The next one
// removes the rest.
func TestKilledReclaiming(t *testing.T) {
	needsFaults(t)
	for _, point := range reclaims {
		dir := t.TempDir()
		succeed(t, dir, [][]string{seeded("STORE", "0")})
		for _, point := range []string{"compact.copied", point} {
			mustBeKilledAt(t, point, inDir(dir, []string{"compact", "--store", "STORE"})...)
		}
		if left := temporaryBelow(t, dir); len(left) != 1 {
			t.Errorf("killed at %s: there are %v", point, left)
		}
		succeed(t, dir, [][]string{{"compact", "--store", "STORE"}, {"replay", "--store", "STORE", "@1"}})
		if left := temporaryBelow(t, dir); len(left) > 0 {
			t.Errorf("killed at %s: left behind: %v", point, left)
		}
	}
}

// succeed gives commands, and returns what they write to stderr.
func succeed(t *testing.T, dir string, commands [][]string) (words string) {
	t.Helper()
	for _, args := range commands {
		code, _, stderr := e2e.Podtrack(inDir(dir, args)...)
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
		}
		words += stderr
	}
	return words
}

// temporaryBelow returns the temporary folders below a folder.
func temporaryBelow(t *testing.T, dir string) (paths []string) {
	t.Helper()
	for path := range digestsBelow(t, dir) {
		if strings.HasPrefix(filepath.Base(path), ".podtrack-") {
			paths = append(paths, filepath.Join(dir, path))
		}
	}
	return paths
}
