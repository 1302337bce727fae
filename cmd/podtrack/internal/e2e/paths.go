package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/internal/textform"
)

// Exec returns the value of a flag that names a program.
func Exec(words ...string) string {
	for i, word := range words {
		words[i] = textform.ShellQuote(word)
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
