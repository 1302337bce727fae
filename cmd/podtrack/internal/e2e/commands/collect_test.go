package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestCollectOfTheTopic runs, replays, resumes, forks and compares what podtrack help stages shows.
func TestCollectOfTheTopic(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	program, store := e2e.CollectProgram(t), filepath.Join(t.TempDir(), "store.db")
	e2e.Start(t, e2e.CollectRun(store, program)...).Exit(t, 0)
	e2e.Start(t, "run", "--env", program, "--collect", program, "--method", "covering", "--set", "state_set=visited",
		"--select", "top=1", "--set", "initiation=ends", "--steps", "300", "--iterations", "2", "--store", store).Exit(t, 0)
	e2e.Start(t, "resume", "drift", "--iterations", "3", "--store", store, "--collect", program).Exit(t, 0)
	e2e.Start(t, "resume", "drift", "--iterations", "4", "--store", store).Exit(t, 2)
	e2e.Start(t, "replay", "drift", "--store", store, "--collect", program).Exit(t, 0)
	replayed := e2e.Start(t, "replay", "drift", "--store", store)
	replayed.Exit(t, 125)
	if said := replayed.Printed.String(); !strings.Contains(said, "levels: 9 recomputed, 0 verified, 3 claimed") {
		t.Errorf("replay without the program says\n%s", said)
	}
	why := e2e.Start(t, "why", "drift:#0", "--store", store)
	why.Exit(t, 0)
	if said := why.Printed.String(); !strings.Contains(said, "claimed: drift 1 observed them") {
		t.Errorf("why says\n%s", said)
	}
	found := e2e.Start(t, "ls", "collect_right=0.7", "--store", store, "--columns", "name,collect,collect_right")
	found.Exit(t, 0)
	if said := found.Printed.String(); !strings.Contains(said, "drift 1") {
		t.Errorf("ls says\n%s", said)
	}
	if !schematest.Long() {
		return
	}
	other := e2e.CollectProgram(t, `"right": "0.7"`, `"right": "0.5"`, "< 0.7", "< 0.5")
	e2e.Start(t, "fork", "drift:1", "--set", "collect="+other, "--name", "even", "--store", store).Exit(t, 0)
	diff := e2e.Start(t, "diff", "drift", "even", "--store", store)
	diff.Exit(t, 1)
	if said := diff.Printed.String(); !strings.Contains(said, "iteration 1, stage collect") {
		t.Errorf("diff says\n%s", said)
	}
	e2e.Start(t, "resume", "even", "--iterations", "3", "--store", store, "--collect", program).Exit(t, 2)
	e2e.Start(t, "check", "--store", store).Exit(t, 0)
}

// TestCollectThatFails: each fault ends in an error that names it, with a remedy, and no iteration is recorded.
func TestCollectThatFails(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	answer := `    return answer`
	cases := []struct{ name, old, new, want string }{
		{"too many steps", `range(r["steps"])`, `range(r["steps"] + 1)`, "301 steps"},
		{"an observation", `answer["observations"].append(at)`, `answer["observations"].append(at + 20)`, "is not in 0..19"},
		{"dies", answer, `    sys.exit("out of luck")`, "out of luck"},
		{"nothing", answer, `    return {}`, "before the first step"},
		{"no steps", answer, `    return {"taken": [], "observation": 3}`, "0 steps in taken"},
		{"no first observation", `answer["observation"] = at`, `pass`, "before the first step"},
		{"NaN", `answer["observations"].append(at)`, `answer["observations"].append(float("nan"))`, "not finite"},
		{"an action", `answer["taken"].append(action)`, `answer["taken"].append(2)`, "action 2 in step 0; there are 2"},
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
	if !schematest.Long() {
		cases = append(cases[:4:4], cases[len(cases)-1])
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(t.TempDir(), "store.db")
			args := e2e.CollectRun(store, e2e.CollectProgram(t, c.old, c.new))
			if c.name == "slow" {
				args = append(args, "--timeout", "500ms")
			}
			p := e2e.Start(t, args...)
			p.Exit(t, 2)
			if said := p.Said.String(); !strings.Contains(said, c.want) || strings.Count(said, "\n  ") == 0 {
				t.Errorf("it says %s, want %q and a remedy", said, c.want)
			}
			if _, err := os.Stat(store); err == nil {
				e2e.Start(t, "check", "--store", store).Exit(t, 0)
			}
		})
	}
}
