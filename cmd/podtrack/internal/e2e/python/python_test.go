// Package python tests what other programs make of what podtrack exports, and the Python package.
package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// pythonCommand returns a command of Python in a folder, which finds this program and imports the
// package from the repository.
func pythonCommand(t *testing.T, dir, python string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	e2e.Must(t, err)
	bin := filepath.Join(t.TempDir(), "podtrack")
	e2e.Must(t, os.Symlink(self, bin))
	c := exec.Command(python, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "PODTRACK_BINARY="+bin, "PODTRACK_STORE=", "PYTHONPATH="+e2e.PythonPackage(t),
		"PYTHONDONTWRITEBYTECODE=1")
	return c
}

// TestPythonPackage runs the tests of the Python package, whose binary is this program.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	python := schematest.PyTest(t)
	c := pythonCommand(t, e2e.PythonPackage(t), python, "-m", "pytest", "-q", "--basetemp",
		filepath.Join(t.TempDir(), "pytest"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text := string(out); os.Getenv("PODTRACK_REQUIRE_ALL") != "" && strings.Contains(text, "skipped") {
		t.Errorf("some were skipped:\n%s", text)
	}
}

// TestPythonTypes checks the types of the Python package.
func TestPythonTypes(t *testing.T) {
	t.Parallel()
	schematest.SkipUnlessLong(t)
	schematest.NeedsPrograms(t, "mypy")
	c := exec.Command("mypy", "--strict", "--cache-dir", t.TempDir(), "podtrack", "examples")
	c.Dir = e2e.PythonPackage(t)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPythonInstall installs the Python package as its help topic says, and imports it from there.
func TestPythonInstall(t *testing.T) {
	t.Parallel()
	schematest.SkipUnlessLong(t)
	python := schematest.Pip(t)
	dir := t.TempDir()
	for _, part := range []string{"cmd/podtrack/python", "replay/external"} { // in a copy, since building leaves files
		e2e.Must(t, os.CopyFS(filepath.Join(dir, "source", part), os.DirFS(filepath.Join(e2e.Repository(t), part))))
	}
	install := exec.Command(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps",
		"--target", filepath.Join(dir, "installed"), filepath.Join(dir, "source/cmd/podtrack/python"))
	install.Env = append(os.Environ(), "PIP_CACHE_DIR="+filepath.Join(dir, "cache"))
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := pythonCommand(t, dir, python, "-c",
		"import podtrack; from podtrack.adapter import gym; print(gym.__file__)")
	c.Env = append(c.Env, "PYTHONPATH="+filepath.Join(dir, "installed"))
	out, err := c.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), filepath.Join(dir, "installed")) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestMain(m *testing.M) { e2e.Main(m, nil) }
