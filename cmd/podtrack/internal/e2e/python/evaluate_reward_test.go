package python

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/evaluate"
)

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
	python := testenv.NumPy(t)
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "maze.npz")
	e2e.Perform(t, "run", "--store", store, "--env", rewarding(t, dir), "--learner", "empirical", "--max_option_steps",
		"12",
		"--select", "top=3", "--steps", "900", "--iterations", "2", "--name", "maze")
	e2e.Perform(t, "export", "maze", "--store", store, "-o", file)
	for name, flags := range map[string][]string{
		"smdp":        {"--task", "reward"},
		"intra":       {"--task", "reward", "--protocol", "intra-option"},
		"published":   {"--task", "reward", "--protocol", "published"},
		"interrupted": {"--task", "reward", "--interrupt", "--task-gamma", "0.8"},
		"within":      {"--task", "reward,start=start", "--interrupt", "--protocol", "intra-option"},
		"alone":       {"--task", "reward", "--against", "none", "--alpha", "0.7"},
	} {
		if !testenv.Long() && name != "interrupted" {
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

// TestProgramIsItsModel: in a grid without chance, of which every step was recorded, agents that learn in the program
// do what those do that learn in the model of the recorded steps, step by step.
func TestProgramIsItsModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, hall := filepath.Join(dir, "store.db"), filepath.Join(dir, "hall.txt")
	e2e.Must(t, os.WriteFile(hall, []byte("3,5\nS....\n.....\n....G\n"), 0o600))
	env := strings.Replace(rewarding(t, dir), "grid:i-maze --slip 200", textform.ShellQuote("grid:"+hall), 1)
	e2e.Perform(t, "run", "--store", store, "--env", env, "--learner", "empirical", "--max_option_steps", "12",
		"--select",
		"top=3", "--steps", "1500", "--iterations", "1", "--name", "maze")
	for _, flags := range [][]string{
		{"--interrupt"}, {"--protocol", "intra-option"}, {"--protocol", "published"}, {"--steps", "7"},
	} {
		args := append([]string{"evaluate", "maze", "--store", store, "--json", "--task", "reward", "--seeds", "0-1",
			"--episodes", "8"}, flags...)
		model, program := armsOf(t, e2e.Perform(t, args...)), armsOf(t, e2e.Perform(t, append(args, "--env", env)...))
		if diff := cmp.Diff(model, program, cmpopts.IgnoreUnexported(evaluate.ArmReport{})); diff != "" || len(model) != 3 {
			t.Errorf("%v: %d arms, %s", flags, len(model), diff)
		}
	}
	e2e.Perform(t, "replay", "maze", "--store", store, "--env", env)
}

// armsOf returns the arms of an evaluation.
func armsOf(t *testing.T, document string) []evaluate.ArmReport {
	t.Helper()
	var d evaluate.Document
	e2e.Must(t, json.Unmarshal([]byte(document), &d))
	return d.Report.Arms
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
