package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestNumpyLearns lets NumPy learn tasks with the options of a run by its own means, from the same
// random numbers: see testdata/check_evaluation.py. The steps of all episodes are the same.
func TestNumpyLearns(t *testing.T) {
	t.Parallel()
	python := numpy(t)
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "rooms.npz")
	perform(t, "run", "--store", store, "--env", "grid:four-rooms", "--method", "laplacian", "--select", "top=3",
		"--steps", "3000", "--iterations", "1", "--name", "rooms")
	perform(t, "export", "rooms", "--store", store, "-o", file)
	all := []string{"--seeds", "0-1", "--episodes", "10"}
	for name, flags := range map[string][]string{
		"smdp":      {"--task", "goal=goal,start=start", "--against", "primitives,random,hallways"},
		"intra":     {"--task", "goal=r5c3", "--protocol", "intra-option", "--against", "primitives,random-own"},
		"published": {"--task", "goal=goal,start=start", "--protocol", "published", "--against", "primitives,hallways"},
		"constant":  {"--task", "goal=r1c3,start=r10c10", "--schedule", "constant", "--against", "none"},
		"drawn":     {"--task", "goal=50", "--protocol", "published", "--epsilon", "0.2", "--against", "random-own"},
	} {
		out := perform(t, append(append([]string{"evaluate", "rooms", "--store", store, "--json"}, all...), flags...)...)
		document := filepath.Join(dir, name+".json")
		if err := os.WriteFile(document, []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := exec.Command(python, "-B", "testdata/check_evaluation.py", file, document,
			"../../../../pod/maps/four-rooms.mdp", "../../versus").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}
