package faults

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestReplacedFileKeepsMode replaces files that only their owner may read, in each of
// the ways in which files are written.
func TestReplacedFileKeepsMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no modes on windows")
	}
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	e2e.Start(t, "run", "--store", store, "--bits", "5", "--iterations", "1", "--name", "one").Exit(t, 0)
	for name, args := range map[string][]string{
		"a.npz": {"export", "one"}, "a.csv": {"export", "one", "--format", "csv"},
		"a.db":  {"export", "one", "--format", "bundle"},
		"a.svg": {"plot", "purposes", "one"}, "a.png": {"plot", "spectrum", "one"},
	} {
		path := filepath.Join(dir, name)
		args = append(args, "--store", store, "-o", path)
		e2e.Start(t, args...).Exit(t, 0)
		usual, err := os.Stat(store) // which is made as any file is
		if err != nil {
			t.Fatal(err)
		}
		checkMode(t, path, usual.Mode())
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		e2e.Start(t, append(args, "--force")...).Exit(t, 0)
		checkMode(t, path, 0o600)
	}
}

func checkMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode(); got != want {
		t.Errorf("%s: mode %v, want %v", filepath.Base(path), got, want)
	}
}
