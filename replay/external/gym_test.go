package external

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"pgregory.net/rapid"
)

// plant makes the current folder one with modules under the names of Python's own and
// Gymnasium's. Each leaves the file "ran" when it is imported.
func plant(t *testing.T) (ran string) {
	t.Helper()
	dir := t.TempDir()
	ran = filepath.Join(dir, "ran")
	for _, name := range []string{"json", "gymnasium", "random", "ast", "os", "encodings", "site", "sitecustomize",
		"usercustomize", "traceback", "numpy", "base64", "zlib", "types", "importlib", "inspect", "difflib", "array",
		"hashlib", "minigrid", "podtrack_adapter"} {
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
	schematest.NeedsPrograms(t, "python3")
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
		if env, err := c.queryEnv(t.Context()); path != "" && (err != nil || env.Name != "Walk-v0") {
			t.Errorf("PYTHONPATH=%s: %v, %v", path, env.Name, err)
		}
		checkNothingRan(t, ran)
	}
}

// TestGymNamedFolder: a folder that PYTHONPATH names is the user's choice.
func TestGymNamedFolder(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	t.Chdir("../../cmd/podtrack/internal/e2e/testdata/standin")
	t.Setenv("PYTHONPATH", ".")
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	c, err := Gym("Walk-v0", "python3", time.Minute)
	if err == nil {
		_, err = c.queryEnv(t.Context())
	}
	if err != nil {
		t.Error(err)
	}
}

// TestIsolation: the adapter's first line is enough for a Python that does not know
// PYTHONSAFEPATH.
func TestIsolation(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
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

// TestGymCommandLine: what lists of processes show of an environment fits on a screen.
func TestGymCommandLine(t *testing.T) {
	if n := len(adapterScript); n > 1000 {
		t.Errorf("the command takes %d characters", n)
	}
}

func TestSplitOptions(t *testing.T) {
	for text, want := range map[string][]string{
		"Walk-v0":                                {"Walk-v0"},
		"ale_py:ALE/Pong-v5,obs_type=ram":        {"ale_py:ALE/Pong-v5", "obs_type=ram"},
		`Lake,desc=["SF","FG"],bits`:             {"Lake", `desc=["SF","FG"]`, "bits"},
		`Lake,size=(3, 4),at={"a": [1,2]}`:       {"Lake", "size=(3, 4)", `at={"a": [1,2]}`},
		`Lake,text='a,b]',more="\",\\"`:          {"Lake", "text='a,b]'", `more="\",\\"`},
		"M,wrap=m:F(a=1,b=2)/m:G,range=-1:1/0:2": {"M", "wrap=m:F(a=1,b=2)/m:G", "range=-1:1/0:2"},
	} {
		if got, err := splitOptions(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "", ",bits": "", "A=1": "", "A,": "nothing follows a comma", "A,=3": "",
		"A,,bits":      "nothing follows a comma",
		`A,desc=["SF"`: `']' is missing at the end`, "A,x=(1]": "unmatched ']'", "A,x='b": "is missing", "A)": "unmatched",
	} {
		_, err := splitOptions(text)
		if !errors.Is(err, errGym) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(schema.Remedy(err), "write gym:NAME") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestOptionsJoin: what is split at commas is joined by them, and no option is split again.
func TestOptionsJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune(`ab=,()[]{}'"\`))).Draw(t, "text")
		parts, err := splitOptions(text)
		if err != nil {
			return
		}
		if joined := strings.Join(parts, ","); joined != text {
			t.Fatalf("%q became %q", text, joined)
		}
		for _, part := range parts[1:] {
			if again, err := splitOptions("A," + part); err != nil || len(again) != 2 {
				t.Fatalf("%q of %q: %q, %v", part, text, again, err)
			}
		}
	})
}
