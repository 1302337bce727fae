// Package python tests what other programs make of what podtrack exports, and the Python package.
package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/schematest/envserver"
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
	c.Env = append(os.Environ(), "PODTRACK_BINARY="+bin, "PODTRACK_STORE=", "PYTHONDONTWRITEBYTECODE=1",
		"PYTHONPATH="+e2e.Repository(t, "cmd/podtrack/python"))
	return c
}

// TestPythonPackage runs the tests of the Python package, whose binary is this program.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy", "pip", "pytest")
	c := pythonCommand(t, e2e.Repository(t, "cmd/podtrack/python"), python, "-m", "pytest", "-q", "--basetemp",
		filepath.Join(t.TempDir(), "pytest"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text := string(out); os.Getenv("PODTRACK_REQUIRE_ALL") != "" && strings.Contains(text, "skipped") {
		t.Errorf("some were skipped:\n%s", text)
	}
}

// TestPythonStyle checks the types and the style of the Python package.
func TestPythonStyle(t *testing.T) {
	t.Parallel()
	schematest.SkipUnlessLong(t)
	schematest.NeedsPrograms(t, "mypy", "flake8")
	for _, words := range [][]string{{"mypy", "--cache-dir", t.TempDir()}, {"flake8", ".", "../../../.ci/release.py"}} {
		c := exec.Command(words[0], words[1:]...)
		c.Dir = e2e.Repository(t, "cmd/podtrack/python")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", words[0], err, out)
		}
	}
}

func TestMain(m *testing.M) {
	e2e.Main(m, command.Main, command.Execute, command.AnswerSchema, map[string]func(){"serve-env": envserver.Main})
}
