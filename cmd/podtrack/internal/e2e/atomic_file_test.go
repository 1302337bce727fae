package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/testenv"
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
	start(t, "run", "--store", store, "--bits", "5", "--iterations", "1", "--name", "one").exit(t, 0)
	for name, args := range map[string][]string{
		"a.npz": {"export", "one"}, "a.csv": {"export", "one", "--format", "csv"},
		"a.db":  {"export", "one", "--format", "bundle"},
		"a.svg": {"plot", "purposes", "one"}, "a.png": {"plot", "spectrum", "one"},
	} {
		path := filepath.Join(dir, name)
		args = append(args, "--store", store, "-o", path)
		start(t, args...).exit(t, 0)
		usual, err := os.Stat(store) // which is made as any file is
		if err != nil {
			t.Fatal(err)
		}
		checkMode(t, path, usual.Mode())
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		start(t, append(args, "--force")...).exit(t, 0)
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

// TestFullOutput prints to a device that is always full.
func TestFullOutput(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		testenv.SkipLacking(t, "no /dev/full: %v", err)
	}
	defer full.Close()
	store := filepath.Join(t.TempDir(), "store.db")
	start(t, "run", "--store", store, "--bits", "5", "--iterations", "1").exit(t, 0)
	self, err := os.Executable()
	must(t, err)
	for _, command := range []string{"compact", "ls", "check", "--help"} {
		p := &program{Cmd: &exec.Cmd{Path: self, Args: []string{"podtrack", command},
			Env: append(os.Environ(), "PODTRACK_STORE="+store), Stdout: full}}
		p.Stderr = &p.stderr
		must(t, p.Start())
		p.exit(t, cmdline.ExitFailure)
		if said := p.stderr.String(); badWords(said) != "" || !strings.Contains(said, "the output could not be written") {
			t.Errorf("%s: %s", command, said)
		}
	}
	start(t, "check", "--store", store).exit(t, 0)
}
