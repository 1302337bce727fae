package faults

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// gymRows has an environment of each family, with what podtrack help gymnasium recommends for it.
// replay/external/real.sh does the same with the real packages.
var gymRows = map[string][]string{
	"toy text":  {"FrozenLake-v1,is_slippery=False,map_name=8x8", "--learner", "lspi", "--gamma", "0.9"},
	"cliff":     {"CliffWalking-v1,max_episode_steps=200", "--learner", "empirical"},
	"tuple":     {"Blackjack-v1", "--learner", "empirical"},
	"tiles":     {"CartPole-v1,tiles=2x3,range=walk,drop,walk=500", "--learner", "lspi", "--gamma", "0.9"},
	"hashed":    {"CartPole-v1,tiles=4x4,range=walk,hash=64,walk=500", "--learner", "q-learning", "--gamma", "0.9"},
	"bins":      {"MountainCar-v0,bins=8", "--learner", "empirical"},
	"minigrid":  {"MiniGrid-Empty-5x5-v0,bits,drop,walk=500", "--learner", "empirical"},
	"wrapped":   {"MiniGrid-Empty-5x5-v0,wrap=minigrid.wrappers:ImgObsWrapper,raw,drop", "--learner", "empirical"},
	"minatar":   {"MinAtar/Breakout-v1,drop,walk=500", "--learner", "empirical"},
	"atari ram": {"ale_py:ALE/Pong-v5,obs_type=ram,bits,drop,walk=500", "--learner", "empirical"},
	"rewards":   {"FrozenLake-v1,is_slippery=False,reward", "--learner", "empirical"},
}

// inShort has the rows that the short form of the tests has.
var inShort = map[string]bool{"minigrid": true}

// TestGymRows kills a run in an environment of each family within an iteration and
// resumes it. It has the same head, is evaluated without the program, and is replayed with
// and without it.
func TestGymRows(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	needsFaults(t)
	useStandIns(t)
	for name, row := range gymRows {
		if !schematest.Long() && !inShort[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			args := append([]string{"--env", "gym:" + row[0], "--steps", "400", "--iterations", "2", "--kappa", "0.5"},
				row[1:]...)
			want := undisturbed(t, args)
			store := filepath.Join(t.TempDir(), "store.db")
			run := append([]string{"run", "--store", store}, args...)
			if !killed(t, startFaulty(t, []string{hurried, fmt.Sprintf("PODTRACK_FAULT=commit.after:%d", 4)}, run...)) {
				t.Fatal("it was not killed")
			}
			e2e.Start(t, "resume", "--store", store, "@1", "--iterations", "2", "--env", args[1]).Exit(t, 0)
			checkRun(t, afterDeath(t, store), allTransactions, want)
			e2e.Perform(t, "evaluate", "--store", store, "@1", "--task", "goal=start", "--episodes", "5", "--seeds", "0")
			e2e.Perform(t, "replay", "--store", store, "@1", "--env", args[1])
			if code, _, stderr := e2e.Podtrack("replay", "--store", store, "@1"); code != cmdline.ExitUnverified {
				t.Errorf("replay without the program: exit code %d\n%s", code, stderr)
			}
		})
	}
}

// useStandIns makes the stand-ins for Gymnasium and others the packages of Python.
func useStandIns(t *testing.T) {
	t.Helper()
	t.Setenv("PYTHONPATH", e2e.Testdata(t, "standin"))
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
}

// TestStandIns: the stand-ins give what the real packages gave to the same calls, which
// replay/external/real.sh has recorded.
func TestStandIns(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	useStandIns(t)
	calls := filepath.Join(e2e.Repository(t, ""), "replay", "external", "testdata")
	for _, name := range []string{"gymnasium", "minigrid", "minatar"} {
		want, err := os.ReadFile(filepath.Join(calls, "calls-"+name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		command := exec.Command("python3", filepath.Join(calls, "calls.py"), name)
		command.Stderr = &stderr
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, &stderr)
		}
		compareLines(t, name, strings.Split(string(out), "\n"), strings.Split(string(want), "\n"))
	}
}

func compareLines(t *testing.T, name string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d lines, want %d", name, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s, line %d:\n got %s\nwant %s", name, i+1, got[i], want[i])
		}
	}
}
