package python

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
)

// TestNumpyImport imports one walk, and its D, from all that NumPy makes of them:
// they are one run each, whatever the types, orders and compression.
func TestNumpyImport(t *testing.T) {
	t.Parallel()
	python := testenv.NumPy(t)
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	export := filepath.Join(dir, "export.npz")
	e2e.Perform(t, "run", "--store", store, "--bits", "8", "--steps", "500", "--iterations", "1", "--name", "base")
	e2e.Perform(t, "export", "base", "--store", store, "-o", export)
	if out, err := exec.Command(python, "testdata/make_npz.py", dir, export).CombinedOutput(); err != nil {
		t.Fatalf("make_npz.py: %v\n%s", err, out)
	}
	for kind, want := range map[string]int{"walk": 12, "rows": 14, "bad": 2} {
		files, err := filepath.Glob(filepath.Join(dir, kind+"-*.npz"))
		if err != nil || len(files) != want {
			t.Fatalf("%d files of %s, want %d: %v", len(files), kind, want, err)
		}
		for _, file := range files {
			args := []string{"import", "--store", store, "--npz", file}
			if kind == "walk" {
				args = append(args, "--bits", "8")
			}
			code := 0
			if kind == "bad" {
				code = 2
			}
			e2e.Start(t, args...).Exit(t, code)
		}
	}
	runs := e2e.List(t, store)
	if len(runs) != 3 {
		t.Fatalf("%d runs, want the walk, the import of it and its D", len(runs))
	}
	for _, r := range runs {
		if r.Name != "base" && !strings.Contains(r.Note, ".npz, SHA-256 ") {
			t.Errorf("run %s has the note %q", r.ID, r.Note)
		}
	}
}
