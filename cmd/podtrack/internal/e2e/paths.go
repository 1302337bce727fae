package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Exec returns the value of a flag that names a program.
func Exec(words ...string) string {
	for i, word := range words {
		words[i] = textfmt.ShellQuote(word)
	}
	return "exec:" + strings.Join(words, " ")
}

// Corridor returns the command of the environment in testdata/env.
func Corridor(t *testing.T) string {
	t.Helper()
	return Exec("python3", Testdata(t, "env/corridor.py"))
}

// MustRun runs a line and fails the test unless it exits 0.
func MustRun(t *testing.T, words ...string) string {
	t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}

// PythonPackage returns the folder of the Python package.
func PythonPackage(t *testing.T) string {
	t.Helper()
	return filepath.Join(Repository(t), "cmd", "podtrack", "python")
}

// Repository returns the folder of go.mod.
func Repository(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	Must(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no folder above this one has go.mod")
		}
		dir = filepath.Dir(dir)
	}
}

// Testdata returns a file or folder that several packages of these tests use.
func Testdata(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(Repository(t), "cmd/podtrack/internal/e2e/testdata", name)
}

// Tiny returns a command about a run that takes a few milliseconds.
func Tiny(args ...string) []string {
	return append(args, "--bits", "4", "--steps", "40", "--iterations", "2")
}

// TinyRun takes a few milliseconds and has options.
var TinyRun = []string{"--bits", "4", "--steps", "40", "--iterations", "2"}

func Seeded(store, seeds string) []string {
	return append([]string{"run", "--store", store, "--seeds", seeds}, TinyRun...)
}

// In puts a folder's paths into arguments.
func In(dir string, args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		args[i] = strings.NewReplacer("STORE", filepath.Join(dir, "store.db"), "DIR", dir).Replace(a)
	}
	return args
}

func FilesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	Must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
