package commands

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// stagesRun returns the arguments of a small run in which the program selects and learns.
func stagesRun(store, program string) []string {
	return []string{"run", "--store", store, "--select", program, "--learner", program, "--bits", "6", "--hide", "0",
		"--steps", "200", "--sweeps", "10", "--iterations", "2", "--name", "own"}
}

// TestStagesOfTheTopic runs, replays and resumes what podtrack help stages shows.
func TestStagesOfTheTopic(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	program, store := e2e.StagesProgram(t), filepath.Join(t.TempDir(), "store.db")
	flags := []string{"--store", store, "--select", program, "--learner", program}
	e2e.Start(t, stagesRun(store, program)...).Exit(t, 0)
	e2e.Start(t, append([]string{"resume", "own", "--iterations", "3"}, flags...)...).Exit(t, 0)
	e2e.Start(t, "resume", "own", "--iterations", "4", "--store", store).Exit(t, 2)
	e2e.Start(t, append([]string{"replay", "own"}, flags...)...).Exit(t, 0)
	e2e.Start(t, "replay", "own", "--store", store).Exit(t, 125)
	e2e.Start(t, "check", "--store", store).Exit(t, 0)
	show := e2e.Start(t, "show", "own", "--store", store)
	show.Exit(t, 0)
	if said := show.Printed.String(); !regexp.MustCompile(`with spread 1, files [0-9a-f]{12}`).MatchString(said) {
		t.Errorf("show does not have the program's digest:\n%s", said)
	}
	why := e2e.Start(t, "why", "own:#0", "--store", store)
	why.Exit(t, 0)
	if said := why.Printed.String(); !strings.Contains(said, "claimed: spread 1 decided") {
		t.Errorf("why says %s", said)
	}
	e2e.Start(t, "ls", "--store", store, "select_share=0.5", "--columns", "name,select,learner,select_share").Exit(t, 0)
	e2e.Start(t, append([]string{"fork", "own:1", "--set", "kappa=2", "--name", "forked"}, flags...)...).Exit(t, 0)
}

// TestExternalMeasures: what a program measures is recorded, replayed, and found by filters, tables and figures.
func TestExternalMeasures(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	program, store := e2e.MeasureProgram(t), filepath.Join(t.TempDir(), "store.db")
	says := func(want string, args ...string) {
		t.Helper()
		p := e2e.Start(t, append(args, "--store", store)...)
		p.Exit(t, 0)
		if said := p.Printed.String(); !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("%v says %s, want %s", args, said, want)
		}
	}
	fails := func(code int, want string, args ...string) {
		t.Helper()
		p := e2e.Start(t, append(args, "--store", store)...)
		p.Exit(t, code)
		if said := p.Said.String(); !strings.Contains(said, want) {
			t.Errorf("%v says %s, want %s", args, said, want)
		}
	}
	run := []string{"run", "--bits", "6", "--hide", "0", "--steps", "200", "--iterations", "2"}
	says("measured", append(run, "--name", "measured", "--measure", program)...)
	says("plain", "run", "--bits", "6", "--hide", "0", "--steps", "200", "--iterations", "2", "--name", "plain")
	says(`(?m)^measured +0\.\d+$`, "ls", "purposes_per_state>0.01", "--columns", "name,purposes_per_state")
	says(`(?m)^measured +0\.\d+\nplain *$`, "ls", "--sort", "-purposes_per_state", "--columns", "name,purposes_per_state")
	says(`"external_measures": \{\s*"purposes_per_state": 0\.\d+`, "show", "measured", "--json")
	says(`(?m)^k  purposes_per_state\n`, "show", "measured")
	says(`,1,purposes_per_state,0\.\d+\n`, "export", "measured", "--format", "csv")
	says(`purposes_per_state +0 +a +1 +0\.\d{3} `, "compare", "measured", "measured", "--measure", "purposes_per_state")
	says(`>purposes_per_state<`, "plot", "measures", "measured", "--measure", "purposes_per_state", "-o", "-", "--format",
		"svg")
	says(`identical`, "replay", "measured", "--measure", program)
	fails(125, "--measure", "replay", "measured")
	fails(2, "did you mean purposes_per_state?", "compare", "measured", "measured", "--measure", "purposes_per_stat")
	fails(2, "no run matches", "ls", "purposes_per_state>99")
	fails(2, "which it does not declare", append(run, "--seed", "1", "--measure",
		e2e.MeasureProgram(t, `"measures": {"purposes_per_state"`, `"measures": {"other"`))...)
	fails(2, "a column of every run", append(run, "--seed", "1", "--measure",
		e2e.MeasureProgram(t, `["purposes_per_state"]`, `["distance"]`))...)
	says(`no damage`, "check")
}

// TestUntilEnd: a recorded program serves all iterations in one process, and ends the run, whose target is what it has.
func TestUntilEnd(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	store, served := filepath.Join(t.TempDir(), "store.db"), filepath.Join(t.TempDir(), "served")
	exec := e2e.CollectProgram(t, `"stages": {"collect": COLLECT}}`,
		`"stages": {"collect": COLLECT}, "extensions": r["extensions"]}`, `        answer = collect(r)`,
		`        open("`+served+`", "a").write("%d %d\n" % (r["k"], __import__("os").getpid()))
        answer = {"end": True} if r["k"] == 3 else collect(r)`)
	e2e.Start(t, append(e2e.CollectRun(store, exec), "--until-end")...).Exit(t, 0)
	ls := e2e.Start(t, "ls", "--store", store, "--columns", "name,iterations,target,status")
	ls.Exit(t, 0)
	if said := ls.Printed.String(); !regexp.MustCompile(`drift +3 +3 +complete`).MatchString(said) {
		t.Errorf("ls says %s", said)
	}
	lines, err := os.ReadFile(served)
	e2e.Must(t, err)
	processes := map[string]bool{}
	for _, line := range strings.Fields(strings.ReplaceAll(string(lines), "\n", " ")) {
		processes[line] = true
	}
	if asked := strings.Fields(string(lines)); len(processes) != 5 || len(asked) < 8 { // 0 to 3, and one process
		t.Errorf("served: %s", lines)
	}
	e2e.Start(t, "replay", "drift", "--store", store, "--env", exec, "--collect", exec).Exit(t, 0)
	e2e.Start(t, "run", "--store", store, "--until-end").Exit(t, 2)
}

// faultyProgram is every stage but one that collects. FAULT changes its answer.
const faultyProgram = `
import json, sys
for line in sys.stdin:
    r = json.loads(line)
    a = {}
    if r["do"] == "hello":
        mine = {"method": {"name": "axes", "version": "1"}, "select": {"name": "all", "version": "1"},
                "learner": {"name": "same", "version": "1", "learns": "values", "model": "own"},
                "measure": {"name": "score", "version": "1", "measures": ["score"]}}
        a = {"protocol": 1, "stages": {name: mine[name] for name in r["stages"]}}
    elif r["do"] == "method":
        d = len(r["features"])
        a = {"sigma": [float(d - i) for i in range(d)],
             "vectors": [[1.0 if i == j else 0.0 for j in range(d)] for i in range(d)]}
    elif r["do"] == "select":
        n = len(r["sigma"])
        a = {"keep": [True] * n, "numbers": r["sigma"]}
    elif r["do"] == "learn":
        v = [0.0] * len(r["w"])
        a = {"values": v}
    elif r["do"] == "measure":
        a = {"measures": {"score": 3.5}}
    FAULT
    print(json.dumps({"id": r["id"], **a}), flush=True)
`

// TestStagesThatFail: each fault ends in an error that names it, with a remedy. No iteration is recorded, and the run
// goes on once the program is mended.
func TestStagesThatFail(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	for i, c := range []struct{ do, fault, want string }{
		{"hello", `a["protocol"] = 2`, "version 1 of the protocol"},
		{"hello", `del a["stages"]["select"]["name"]`, "the name"},
		{"hello", `a["stages"]["learner"]["learns"] = "everything"`, "everything"},
		{"hello", `a["stages"] = {"collect": a["stages"]["select"]}`, "does not declare"},
		{"method", `a["sigma"][0] = float("nan")`, "not finite"},
		{"method", `a["sigma"][0] = float("inf")`, "not finite"},
		{"method", `a["sigma"][0] = None`, "null"},
		{"method", `a["sigma"].reverse()`, "is larger than the"},
		{"method", `a["sigma"][-1] = -1.0`, "is -1"},
		{"method", `a["vectors"][0] = [2.0] + a["vectors"][0][1:]`, "vector 1 has length 2, not 1"},
		{"method", `a["vectors"][0] = [1.0]`, "vector 1 has 1 entries; D has 6 columns"},
		{"method", `a["vectors"].pop()`, "6 numbers σ and 5 vectors"},
		{"method", `a = {"sigma": [1.0] * 7, "vectors": [[1.0] + [0.0] * 5] * 7}`, "7 numbers σ and 7 vectors"},
		{"method", `a = {}`, "lacks sigma or vectors"},
		{"method", `a["mood"] = 1`, "mood"},
		{"method", `a["mood"] = "x" * (2 << 20)`, "a line of more than 1 MiB"},
		{"method", `sys.exit("out of luck")`, "out of luck"},
		{"method", `a = {"error": "out of luck"}`, "out of luck"},
		{"select", `a["keep"] = [True]`, "keep for 1 of"},
		{"select", `a = {}`, "keep for 0 of"},
		{"select", `a["reasons"] = ["bad"] * n`, "bad"},
		{"select", `a["signs"] = [1] * n`, "follows both signs"},
		{"learn", `a["values"][0] = float("nan")`, "not finite"},
		{"learn", `a["values"][0] = None`, "null"},
		{"learn", `a["values"][0] = -1.0`, "the value of state 0 is -1"},
		{"learn", `a["values"].pop()`, "values for 63 of 64 states"},
		{"learn", `a = {}`, "lacks the values"},
		{"learn", `a = {"weights": [v]}`, "lacks the values"},
		{"learn", `a["mood"] = 1`, "mood"},
		{"learn", `sys.exit("out of luck")`, "out of luck"},
		{"learn", `a = {"error": "out of luck"}`, "out of luck"},
		{"learn", `print("hello")`, "not an answer"},
		{"measure", `a["measures"] = {"mood": 1.0}`, "mood"},
		{"measure", `a["measures"]["score"] = float("nan")`, "not finite"},
		{"measure", `a["measures"]["score"] = "good"`, "violates the protocol"},
		{"measure", `a = {}`, "lacks measures"},
		{"measure", `sys.exit("out of luck")`, "out of luck"},
	} {
		t.Run(c.do+strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, store := filepath.Join(dir, "faulty.py"), filepath.Join(dir, "store.db")
			fault := "if r[\"do\"] == \"" + c.do + "\":\n        " + c.fault
			e2e.Must(t, os.WriteFile(path, []byte(strings.ReplaceAll(faultyProgram, "FAULT", fault)), 0o666))
			stages := []string{strings.Replace(c.do, "learn", "learner", 1)}
			if c.do == "hello" {
				stages = []string{"method", "select", "learner", "measure"}
			}
			flags := []string{"--store", store}
			for _, stage := range stages {
				flags = append(flags, "--"+stage, e2e.Exec("python3", path))
			}
			p := e2e.Start(t, append([]string{"run", "--bits", "6", "--hide", "0", "--steps", "200", "--sweeps", "4",
				"--iterations", "2", "--name", "faulty"}, flags...)...)
			p.Exit(t, 2)
			if said := p.Said.String(); !strings.Contains(said, c.want) || strings.Count(said, "\n  ") == 0 {
				t.Errorf("it says %s, want %q and a remedy", said, c.want)
			}
			if c.do == "hello" { // what it declares is not that of a run
				if _, err := os.Stat(store); err == nil {
					t.Error("there is a store")
				}
				return
			}
			e2e.Perform(t, "check", "--read-data", "--store", store)
			if said := e2e.Perform(t, "ls", "--store", store, "--columns", "iterations", "--format", "csv"); said !=
				"iterations\n0\n" {
				t.Errorf("after the failure there is %q", said)
			}
			if c.fault != `a = {}` { // once for each stage
				return
			}
			e2e.Must(t, os.WriteFile(path, []byte(strings.ReplaceAll(faultyProgram, "FAULT", "pass")), 0o666))
			e2e.Start(t, append([]string{"resume", "faulty", "--changed-code"}, flags...)...).Exit(t, 0)
		})
	}
}
