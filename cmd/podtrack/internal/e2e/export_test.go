package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/internal/testenv"
)

// numpy returns a Python that has NumPy, or skips the test.
func numpy(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import numpy").Run() == nil {
			return python
		}
	}
	testenv.SkipLacking(t, "there is no Python with NumPy")
	return ""
}

// TestNumpy lets NumPy check exported runs by its own means: see
// testdata/check_npz.py.
func TestNumpy(t *testing.T) {
	t.Parallel()
	python := numpy(t)
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	for name, flags := range map[string][]string{
		"written":   {"--hide", "1"},
		"published": {"--reading", "as-published", "--hide", "1"},
	} {
		start(t, append([]string{"run", "--store", store, "--bits", "9", "--iterations", "3", "--name", name}, flags...)...).exit(t, 0)
		file := filepath.Join(dir, name+".npz")
		start(t, "export", name, "--store", store, "-o", file).exit(t, 0)
		check(t, python, file, map[string]string{"written": "no", "published": "yes"}[name], "", "3 iterations")
	}
	both := filepath.Join(dir, "both.npz")
	start(t, "export", "bits=9", "--store", store, "-o", both).exit(t, 0)
	for _, r := range list(t, store) {
		cumulative := "no"
		if r.Reading == "as-published" {
			cumulative = "yes"
		}
		check(t, python, both, cumulative, r.ID.String()+"/", "3 iterations")
	}
}

func check(t *testing.T, python, file, cumulative, prefix, want string) {
	t.Helper()
	out, err := exec.Command(python, "testdata/check_npz.py", file, "9", "1", "0.99", "100", "1e-9", cumulative, prefix).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%s: %v\n%s", filepath.Base(file), err, out)
	}
}
