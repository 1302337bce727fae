package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/internal/testenv"
)

// collectProgram writes the program of the help topic that collects into a folder, with changes, and returns it as a
// flag's value.
func collectProgram(t *testing.T, changes ...string) string {
	t.Helper()
	topic, err := help.Text("stages")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```py\n(.*?)```").FindAllStringSubmatch(topic, -1)
	if len(blocks) < 2 {
		t.Fatalf("the topic has %d programs", len(blocks))
	}
	text := strings.NewReplacer(changes...).Replace(blocks[1][1])
	if len(changes) > 0 && text == blocks[1][1] {
		t.Fatalf("the program has no %q", changes[0])
	}
	path := filepath.Join(t.TempDir(), "drift.py")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return "exec:python3 " + path
}

// collectRun are the arguments of a small run.
func collectRun(store, program string) []string {
	return []string{"run", "--store", store, "--env", program, "--collect", program, "--kappa", "0.5", "--steps", "300",
		"--iterations", "2", "--name", "drift"}
}

// TestCollectOfTheTopic runs, replays, resumes, forks and compares what podtrack help stages shows.
func TestCollectOfTheTopic(t *testing.T) {
	t.Parallel()
	testenv.NeedsPrograms(t, "python3")
	program, store := collectProgram(t), filepath.Join(t.TempDir(), "store.db")
	start(t, collectRun(store, program)...).exit(t, 0)
	start(t, "resume", "drift", "--iterations", "3", "--store", store, "--collect", program).exit(t, 0)
	start(t, "resume", "drift", "--iterations", "4", "--store", store).exit(t, 2)
	start(t, "replay", "drift", "--store", store, "--collect", program).exit(t, 0)
	replayed := start(t, "replay", "drift", "--store", store)
	replayed.exit(t, 125)
	if said := replayed.stdout.String(); !strings.Contains(said, "levels: 9 recomputed, 0 verified, 3 claimed") {
		t.Errorf("replay without the program says\n%s", said)
	}
	why := start(t, "why", "drift:#0", "--store", store)
	why.exit(t, 0)
	if said := why.stdout.String(); !strings.Contains(said, "claimed: drift 1 observed them") {
		t.Errorf("why says\n%s", said)
	}
	found := start(t, "ls", "collect_right=0.7", "--store", store, "--columns", "name,collect,collect_right")
	found.exit(t, 0)
	if said := found.stdout.String(); !strings.Contains(said, "drift 1") {
		t.Errorf("ls says\n%s", said)
	}
	if !testenv.Long() {
		return
	}
	other := collectProgram(t, `"right": "0.7"`, `"right": "0.5"`, "< 0.7", "< 0.5")
	start(t, "fork", "drift:1", "--set", "collect="+other, "--name", "even", "--store", store).exit(t, 0)
	diff := start(t, "diff", "drift", "even", "--store", store)
	diff.exit(t, 1)
	if said := diff.stdout.String(); !strings.Contains(said, "iteration 1, stage collect") {
		t.Errorf("diff says\n%s", said)
	}
	start(t, "resume", "even", "--iterations", "3", "--store", store, "--collect", program).exit(t, 2)
	start(t, "check", "--store", store).exit(t, 0)
}

// TestCollectThatFails: each fault ends in an error that names it, with a remedy, and no iteration is recorded.
func TestCollectThatFails(t *testing.T) {
	t.Parallel()
	testenv.NeedsPrograms(t, "python3")
	answer := `    return answer`
	cases := []struct{ name, old, new, want string }{
		{"too many steps", `range(r["steps"])`, `range(r["steps"] + 1)`, "301 steps"},
		{"an observation", `answer["observations"].append(at)`, `answer["observations"].append(at + 20)`, "from 0 to 19"},
		{"dies", answer, `    sys.exit("out of luck")`, "out of luck"},
		{"nothing", answer, `    return {}`, "before the first step"},
		{"no steps", answer, `    return {"taken": [], "observation": 3}`, "0 steps in taken"},
		{"no first observation", `answer["observation"] = at`, `pass`, "before the first step"},
		{"NaN", `answer["observations"].append(at)`, `answer["observations"].append(float("nan"))`, "not finite"},
		{"an action", `answer["taken"].append(action)`, `answer["taken"].append(2)`, "action 2 of 2 in step 0"},
		{"options of some", `answer["options"].append(option)`, `answer["options"] = [-1]`, "1 options, for 300 steps"},
		{"an option", `answer["options"].append(option)`, `answer["options"].append(7)`, "not in the action set"},
		{"rewards", answer, `    return {**answer, "rewards": [0] * r["steps"]}`, "reward"},
		{"ends", answer, `    return {**answer, "ends": [1]}`, "ends"},
		{"an end", answer, `    return {**answer, "ends": [1] + [0] * (r["steps"] - 1)}`, "300 observations"},
		{"another member", answer, `    return {**answer, "mood": 1}`, "mood"},
		{"null", `answer["observation"] = at`, `answer["observation"] = None`, "null"},
		{"a payload", answer, `    return {"bytes": 1 << 40, "steps": 3, "observation": 1}`, "payload"},
		{"input", `"input": "options"`, `"input": "everything"`, "everything"},
		{"slow", answer, `    import time; time.sleep(60)`, "within 500ms"},
	}
	if !testenv.Long() {
		cases = append(cases[:4:4], cases[len(cases)-1])
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(t.TempDir(), "store.db")
			args := collectRun(store, collectProgram(t, c.old, c.new))
			if c.name == "slow" {
				args = append(args, "--stage-timeout", "500ms")
			}
			p := start(t, args...)
			p.exit(t, 2)
			if said := p.stderr.String(); !strings.Contains(said, c.want) || strings.Count(said, "\n  ") == 0 {
				t.Errorf("it says %s, want %q and a remedy", said, c.want)
			}
			if _, err := os.Stat(store); err == nil {
				start(t, "check", "--store", store).exit(t, 0)
			}
		})
	}
}

// TestKilledWhileCollecting kills a run while its program collects. The same command comes to the head of a run that
// nothing happened to.
func TestKilledWhileCollecting(t *testing.T) {
	t.Parallel()
	testenv.NeedsPrograms(t, "python3")
	needsFaults(t)
	args := func(program string) []string { return append(collectRun("", program)[3:], "--steps", "200") }
	want := undisturbed(t, args(collectProgram(t)))
	store, kill := filepath.Join(t.TempDir(), "store.db"), filepath.Join(t.TempDir(), "kill")
	must(t, os.WriteFile(kill, nil, 0o666))
	killing := collectProgram(t, "import json, random, sys", "import json, os, random, sys", "    return answer",
		fmt.Sprintf(`    if r["k"] == 1 and os.path.exists(%q):
        os.remove(%[1]q)
        os.kill(os.getppid(), 9)
    return answer`, kill))
	run := append([]string{"run", "--store", store}, args(killing)...)
	if !startFaulty(t, []string{hurried}, run...).killed(t) {
		t.Fatal("it was not killed")
	}
	if s := afterDeath(t, store); s == nil || s.iterations > 1 {
		t.Errorf("it left %+v", s)
	}
	start(t, run...).exit(t, 0)
	checkRun(t, afterDeath(t, store), allTransactions, want)
}
