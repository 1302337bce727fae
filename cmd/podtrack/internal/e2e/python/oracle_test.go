package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
)

// TestNumpyComputesFields lets NumPy compute runs from their specs, by its own means, with each of the fields
// that change how options are discovered and used: see testdata/oracle.py.
func TestNumpyComputesFields(t *testing.T) {
	t.Parallel()
	python := testenv.NumPy(t)
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	for name, flags := range map[string]string{
		"plain":            "",
		"scaled":           "--feature_scale rms --hide 1",
		"scaled-published": "--feature_scale rms --reading as-published",
		"replace":          "--options replace --reading as-published --seed 3",
		"last":             "--options last=2 --leave_out 1+13 --seed 4",
		"seldom":           "--option_probability 0.05 --reading as-published --seed 6",
		"always":           "--option_probability 1 --options replace --seed 7",
		"random":           "--basis random --feature_scale rms --seed 8",
		"one-sided":        "--sides one --seed 9",
		"cycle":            "--sides one --basis rows-of-v --options replace --option_probability 0.1 --feature_scale rms",
		"scaled-replace":   "--feature_scale rms --options replace --dataset cumulative --seed 5",
	} {
		e2e.Perform(t, append([]string{"run", "--store", store, "--bits", "8", "--steps", "400", "--iterations", "4",
			"--name",
			name}, strings.Fields(flags)...)...)
		computeByNumpy(t, python, store, dir, name, specOf(t, store, dir, name))
	}
	out, err := exec.Command(python, "-B", "testdata/oracle.py", filepath.Join(dir, "replace.npz"),
		filepath.Join(dir, "last.json")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "state differs") {
		t.Errorf("a run is taken for one of another spec: %v\n%s", err, out)
	}
	e2e.Perform(t, "fork", "replace:2", "--store", store, "--set", "options=keep", "--name", "kept")
	computeByNumpy(t, python, store, dir, "kept", specOf(t, store, dir, "replace"), specOf(t, store, dir, "kept")+"@2")
}

// specOf writes a run's spec into a file.
func specOf(t *testing.T, store, dir, run string) string {
	t.Helper()
	file := filepath.Join(dir, run+".json")
	if err := os.WriteFile(file, []byte(e2e.Perform(t, "show", run, "--spec", "--store", store)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// computeByNumpy compares a run with what NumPy computes from its specs.
func computeByNumpy(t *testing.T, python, store, dir, run string, specs ...string) {
	t.Helper()
	file := filepath.Join(dir, run+".npz")
	e2e.Perform(t, "export", run, "--store", store, "-o", file)
	out, err := exec.Command(python, append([]string{"-B", "testdata/oracle.py", file}, specs...)...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "iterations, ") {
		t.Errorf("%s: %v\n%s", run, err, out)
	}
}
