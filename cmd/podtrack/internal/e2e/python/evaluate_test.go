package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestNumpyLearns lets NumPy learn tasks with the options of a run by its own means, from the same
// random numbers: see testdata/check_evaluation.py. The steps of all episodes are the same, and so are
// the means, differences, wins and intervals over many tasks and runs.
func TestNumpyLearns(t *testing.T) {
	t.Parallel()
	python := schematest.NumPy(t)
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "rooms.npz")
	e2e.Perform(t, "run", "--store", store, "--env", "grid:four-rooms", "--method", "laplacian", "--select", "top=3",
		"--steps", "3000", "--iterations", "1", "--name", "rooms")
	e2e.Perform(t, "export", "rooms", "--store", store, "-o", file)
	e2e.Perform(t, "run", "--store", store, "--env", "grid:four-rooms", "--method", "laplacian", "--select", "top=3",
		"--steps", "3000", "--iterations", "1", "--seeds", "1-3", "--name", "room{seed}")
	several := filepath.Join(dir, "several.npz")
	e2e.Perform(t, "export", "seed=1-3", "--store", store, "-o", several)
	e2e.Perform(t, "run", "--store", store, "--env", "grid:four-rooms", "--method", "covering", "--select", "top=1",
		"--set", "initiation=ends", "--steps", "3000", "--iterations", "1", "--name", "ends")
	ends := filepath.Join(dir, "ends.npz")
	e2e.Perform(t, "export", "ends", "--store", store, "-o", ends)
	all := []string{"--seeds", "0-1", "--episodes", "10"}
	for name, flags := range map[string][]string{
		"goals": {"--task", "all,start=start", "--episodes", "3", "--steps", "60", "--against", "primitives,hallways"},
		"pairs": {"--pairs", "8", "--protocol", "published", "--against", "primitives,random-own,hallways"},
		"within": {"--pairs", "6", "--pairs-seed", "2", "--protocol", "intra-option", "--against",
			"primitives,random-own"},
		"runs":      {"--pairs", "8", "--pairs-seed", "5", "--against", "primitives,hallways"},
		"smdp":      {"--task", "goal=goal,start=start", "--against", "primitives,random-own,hallways"},
		"intra":     {"--task", "goal=r5c3", "--protocol", "intra-option", "--against", "primitives,random-own"},
		"published": {"--task", "goal=goal,start=start", "--protocol", "published", "--against", "primitives,hallways"},
		"alone":     {"--task", "goal=r1c3,start=r10c10", "--against", "none"},
		"drawn":     {"--task", "goal=50", "--protocol", "published", "--epsilon", "0.2", "--against", "random-own"},

		"ends":           {"--pairs", "8", "--against", "primitives,hallways"},
		"ends within":    {"--pairs", "8", "--protocol", "intra-option", "--against", "primitives"},
		"ends published": {"--pairs", "8", "--protocol", "published", "--against", "primitives"},
	} {
		of, arrays := "rooms", file
		if name == "runs" {
			of, arrays = "seed=1-3", several
		} else if strings.HasPrefix(name, "ends") {
			of, arrays = "ends", ends
		}
		out := e2e.Perform(t, append(append([]string{"evaluate", of, "--store", store, "--json"}, all...), flags...)...)
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

// rewarding returns an environment in another process that declares a reward: a grid in which moves slip.
func rewarding(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	e2e.Must(t, err)
	e2e.Must(t, os.Symlink(self, filepath.Join(dir, "serve-env"))) // by which name it is that program
	return e2e.Exec(filepath.Join(dir, "serve-env")) + " grid:i-maze --slip 200 --goal 1 --episode 40 --reward"
}

// TestNumpyEarns lets NumPy build the model of recorded rewards and learn in it by its own means, from the same
// random numbers: see testdata/check_rewards.py. The steps and returns of all episodes are the same, and so are
// the means, differences, wins and intervals, and the best return.
func TestNumpyEarns(t *testing.T) {
	t.Parallel()
	python := schematest.NumPy(t)
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "maze.npz")
	e2e.Perform(t, "run", "--store", store, "--env", rewarding(t, dir), "--learner", "empirical", "--set",
		"max_option_steps=12", "--select", "top=3", "--steps", "900", "--iterations", "2", "--name", "maze")
	e2e.Perform(t, "export", "maze", "--store", store, "-o", file)
	for name, flags := range map[string][]string{
		"smdp":        {"--task", "reward"},
		"intra":       {"--task", "reward", "--protocol", "intra-option"},
		"published":   {"--task", "reward", "--protocol", "published"},
		"interrupted": {"--task", "reward", "--interrupt", "--task-gamma", "0.8"},
		"within":      {"--task", "reward,start=start", "--interrupt", "--protocol", "intra-option"},
		"alone":       {"--task", "reward", "--against", "none", "--alpha", "0.7"},
	} {
		if !schematest.Long() && name != "interrupted" {
			continue
		}
		args := []string{"evaluate", "maze", "--store", store, "--json", "--seeds", "0-2", "--episodes", "12"}
		if name != "alone" {
			args = append(args, "--against", "primitives")
		}
		document := filepath.Join(dir, name+".json")
		e2e.Must(t, os.WriteFile(document, []byte(e2e.Perform(t, append(args, flags...)...)), 0o600))
		got, err := exec.Command(python, "-B", "testdata/check_rewards.py", file, document, "../../../versus",
			"12").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

// TestKilledRewards: an evaluation of rewards that is killed while it is recorded is recorded by the same command,
// as one that was not disturbed; one that is killed after that is there.
func TestKilledRewards(t *testing.T) {
	e2e.NeedsFaults(t)
	t.Parallel()
	dir := t.TempDir()
	base := filepath.Join(dir, "base.db")
	e2e.Perform(t, "run", "--store", base, "--env", rewarding(t, dir), "--learner", "empirical", "--select", "top=2",
		"--steps", "400", "--iterations", "1", "--name", "maze")
	evaluate := []string{"evaluate", "maze", "--task", "reward", "--seeds", "0-1", "--episodes", "10", "--json",
		"--store"}
	for _, point := range []string{"update.change:1", "update.commit:1"} {
		store, undisturbed := filepath.Join(dir, point+".db"), filepath.Join(dir, point+"-undisturbed.db")
		e2e.Perform(t, "backup", store, "--store", base)
		e2e.Perform(t, "backup", undisturbed, "--store", base)
		if !e2e.StartFaulty(t, []string{"PODTRACK_FAULT=" + point}, append(evaluate, store)...).Killed(t) {
			t.Fatalf("%s: it was not killed", point)
		}
		e2e.Perform(t, "check", "--read-data", "--store", store)
		if point == "update.commit:1" {
			e2e.Perform(t, append(evaluate, undisturbed)...) // recorded before, like the other
		}
		got, want := e2e.Perform(t, append(evaluate, store)...), e2e.Perform(t, append(evaluate, undisturbed)...)
		if got != want {
			t.Errorf("%s: what was killed ends otherwise:\n%s\nwant\n%s", point, got, want)
		}
		if code, _, stderr := e2e.Podtrack("replay", "maze", "--store", store); code != cmdline.ExitUnverified {
			t.Errorf("%s: replay without the program: exit code %d\n%s", point, code, stderr)
		}
	}
}
