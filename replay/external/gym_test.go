package external

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/internal/testenv"
)

// plant makes the current folder one with modules under the names of Python's own and
// Gymnasium's. Each leaves the file "ran" when it is imported.
func plant(t *testing.T) (ran string) {
	t.Helper()
	dir := t.TempDir()
	ran = filepath.Join(dir, "ran")
	for _, name := range []string{"json", "gymnasium", "random", "ast", "os", "encodings", "site", "sitecustomize",
		"usercustomize", "traceback", "numpy", "base64", "zlib", "types", "importlib", "inspect", "difflib", "array",
		"hashlib", "minigrid", "podtrack_loop", "podtrack_spaces", "podtrack_make"} {
		text := "open(" + pythonText(ran) + ", 'a').write('" + name + "\\n')\n"
		if err := os.WriteFile(filepath.Join(dir, name+".py"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return ran
}

func pythonText(path string) string { return "'" + strings.ReplaceAll(path, `\`, `\\`) + "'" }

func checkNothingRan(t *testing.T, ran string) {
	t.Helper()
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("imported from the current folder: %q", text)
		_ = os.Remove(ran)
	}
}

// TestGymIsolated: nothing in the current folder is imported, whether or not
// Gymnasium is there, and an empty entry of PYTHONPATH does not name that folder.
func TestGymIsolated(t *testing.T) {
	testenv.NeedsPrograms(t, "python3")
	standIn, err := filepath.Abs("../../cmd/podtrack/internal/e2e/testdata/standin")
	if err != nil {
		t.Fatal(err)
	}
	ran := plant(t)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	for _, path := range []string{"", ":" + standIn, standIn} {
		t.Setenv("PYTHONPATH", path)
		c, err := Gym("Walk-v0", "python3", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if env, err := c.QueryEnv(t.Context()); path != "" && (err != nil || env.Name != "Walk-v0") {
			t.Errorf("PYTHONPATH=%s: %v, %v", path, env.Name, err)
		}
		checkNothingRan(t, ran)
	}
}

// TestGymNamedFolder: a folder that PYTHONPATH names is the user's choice.
func TestGymNamedFolder(t *testing.T) {
	testenv.NeedsPrograms(t, "python3")
	t.Chdir("../../cmd/podtrack/internal/e2e/testdata/standin")
	t.Setenv("PYTHONPATH", ".")
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	c, err := Gym("Walk-v0", "python3", time.Minute)
	if err == nil {
		_, err = c.QueryEnv(t.Context())
	}
	if err != nil {
		t.Error(err)
	}
}

// TestIsolation: the adapter's first line is enough for a Python that does not know
// PYTHONSAFEPATH.
func TestIsolation(t *testing.T) {
	testenv.NeedsPrograms(t, "python3")
	ran := plant(t)
	t.Setenv("PYTHONSAFEPATH", "")
	t.Setenv("PYTHONPATH", "")
	imports := "import ast, base64, difflib, hashlib, importlib, inspect, json, random, traceback, types, zlib"
	if out, err := exec.Command("python3", "-c", isolation+imports).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	checkNothingRan(t, ran)
}

// TestPythonOfCurrentFolder: a python3 of the current folder is not taken.
func TestPythonOfCurrentFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, path := range []string{".", "", ".:" + os.Getenv("PATH")} {
		t.Setenv("PATH", path)
		if c, err := Gym("Walk-v0", "python3", time.Minute); err == nil {
			t.Errorf("PATH=%s: %q", path, c.Words[0])
		}
	}
}
