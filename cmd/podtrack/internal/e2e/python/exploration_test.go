package python

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
)

// TestNumpyExploration lets NumPy compute the measures of exploration from the exported states, to 1e-9:
// see testdata/check_exploration.py. The numbers of states that can be reached are those of the
// environments: 2^bits, cells without walls, and 404 of the taxi's 500 (no passenger is at the
// destination at first).
func TestNumpyExploration(t *testing.T) {
	t.Parallel()
	python := testenv.NumPy(t)
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	runs := []struct {
		name  string
		flags []string
	}{
		{"ring", []string{"--bits", "8", "--steps", "500", "--reading", "as-published"}},
		{"small", []string{"--bits", "3", "--steps", "300"}},
		{"none", []string{"--bits", "6", "--kappa", "1e9"}},
		{"rooms", []string{"--env", "grid", "--slip", "200", "--steps", "400"}},
		{"taxi", []string{"--env", "taxi", "--episode", "37", "--steps", "400"}},
	}
	for _, r := range runs {
		e2e.Perform(t, append([]string{"run", "--store", store, "--iterations", "3", "--name", r.name}, r.flags...)...)
	}
	e2e.Perform(t, "run", "--store", store, "--iterations", "3", "--name", "outside", "--env", e2e.Corridor(t),
		"--steps", "200",
		"--learner", "empirical", "--kappa", "0.5")
	e2e.Perform(t, "fork", "ring:2", "--set", "kappa=3", "--set", "steps=700", "--iterations", "5", "--store", store,
		"--name",
		"forked")
	for name, want := range map[string]string{
		"ring": "3 256", "small": "3 8", "none": "3 64", "rooms": "3 104", "taxi": "3 404", "outside": "3 -",
		"forked": "5 256",
	} {
		iterations, states, _ := strings.Cut(want, " ")
		file := filepath.Join(dir, name+".npz")
		e2e.Perform(t, "export", name, "--store", store, "-o", file)
		out, err := exec.Command(python, "-B", "testdata/check_exploration.py", file, states).CombinedOutput()
		if text := strings.TrimSpace(string(out)); err != nil || text != iterations+" iterations, 12 measures" {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
