package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestNumpyLearns lets NumPy learn tasks with the options of a run by its own means, from the same
// random numbers: see testdata/check_evaluation.py. The steps of all episodes are the same, and so are
// the means, differences, wins and intervals over many tasks and runs.
func TestNumpyLearns(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "rooms.npz")
	e2e.Perform(t, "run", "--store", store, "--env", "grid:four-rooms", "--method", "laplacian", "--select", "top=3",
		"--steps", "3000", "--iterations", "1", "--name", "rooms")
	e2e.Perform(t, "export", "rooms", "--store", store, "-o", file)
	e2e.Perform(t, "run", "--store", store, "--env", "grid:four-rooms", "--method", "laplacian", "--select", "top=3",
		"--steps", "3000", "--iterations", "1", "--seeds", "1-2", "--name", "room{seed}")
	several := filepath.Join(dir, "several.npz")
	e2e.Perform(t, "export", "seed=1-2", "--store", store, "-o", several)
	e2e.Perform(t, "run", "--store", store, "--env", "grid:four-rooms", "--method", "covering", "--select", "top=1",
		"--set", "initiation=ends", "--steps", "3000", "--iterations", "1", "--name", "ends")
	ends := filepath.Join(dir, "ends.npz")
	e2e.Perform(t, "export", "ends", "--store", store, "-o", ends)
	oneGoal := []string{"--seeds", "0-1", "--episodes", "6"}
	allGoals := []string{"--task", "all,start=start", "--seeds", "0", "--episodes", "2", "--steps", "30"}
	for name, flags := range map[string][]string{
		"goals":          {"--against", "primitives,hallways"},
		"pairs":          {"--protocol", "published", "--against", "primitives,random-own,hallways"},
		"within":         {"--protocol", "intra-option", "--against", "primitives,random-own"},
		"runs":           {"--against", "primitives,hallways"},
		"smdp":           {"--task", "goal=goal,start=start", "--against", "primitives,random-own,hallways"},
		"intra":          {"--task", "goal=r5c3", "--protocol", "intra-option", "--against", "primitives,random-own"},
		"published":      {"--task", "goal=goal,start=start", "--protocol", "published", "--against", "primitives,hallways"},
		"alone":          {"--task", "goal=r1c3,start=r10c10", "--against", "none"},
		"drawn":          {"--task", "goal=50", "--protocol", "published", "--epsilon", "0.2", "--against", "random-own"},
		"ends":           {"--against", "primitives,hallways"},
		"ends within":    {"--protocol", "intra-option", "--against", "primitives"},
		"ends published": {"--protocol", "published", "--against", "primitives"},
	} {
		of, arrays := "rooms", file
		if name == "runs" {
			of, arrays = "seed=1-2", several
		} else if strings.HasPrefix(name, "ends") {
			of, arrays = "ends", ends
		}
		task := allGoals
		if flags[0] == "--task" {
			task = oneGoal
		}
		out := e2e.Perform(t, slices.Concat([]string{"evaluate", of, "--store", store, "--json"}, task, flags)...)
		document := filepath.Join(dir, name+".json")
		if err := os.WriteFile(document, []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := exec.Command(python, "-B", "testdata/check_evaluation.py", arrays, document,
			"../../../../../pod/envs/maps/four-rooms.mdp", "../../../versus").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}
