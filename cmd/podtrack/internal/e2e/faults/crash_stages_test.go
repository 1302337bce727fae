package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// allStages are changes of the program of the topic, which make it a method too: the axes by their root mean square.
// Its name and version do not depend on what kills it, so that its runs are the same runs.
var allStages = []string{
	`"select": {"name": "spread"`, `"method": {"name": "axes", "version": "1"}, "select": {"name": "spread"`,
	`def select(r):`, `def method(r):
    d = len(r["features"])
    total = [sum(n * row[i] ** 2 for row, n in zip(r["rows"], r["counts"])) ** 0.5 for i in range(d)]
    order = sorted(range(d), key=lambda i: -total[i])
    return {"sigma": [total[i] for i in order],
            "vectors": [[1.0 if i == j else 0.0 for j in range(d)] for i in order]}

def select(r):`,
	`    elif r["do"] == "learn":`, `    elif r["do"] == "method":
        answer = method(r)
    elif r["do"] == "learn":`,
}

// killingStages returns the program with all stages. While the file kill is there, it removes the file and kills
// podtrack once it is asked for the n-th time what it does in iteration k.
func killingStages(t *testing.T, kill, do string, k, n int) string {
	t.Helper()
	return e2e.StagesProgram(t, append([]string{
		`import json, sys`, `import json, os, sys`,
		`model = None`, `model, asked = None, 0`,
		`    r = json.loads(line)`, fmt.Sprintf(`    r = json.loads(line)
    asked += r["do"] == %q and r["k"] == %d
    if asked == %d and os.path.exists(%q):
        os.remove(%[4]q)
        os.kill(os.getppid(), 9)`, do, k, n, kill)}, allStages...)...)
}

// TestKilledInStages kills runs while each of their external stages computes. The same command reaches the head of an
// undisturbed run, and replay with the programs recomputes all of it.
func TestKilledInStages(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	needsFaults(t)
	args := func(program string) []string {
		return []string{"--method", program, "--select", program, "--learner", program, "--bits", "6", "--hide", "0",
			"--steps", "200", "--sweeps", "4", "--iterations", fmt.Sprint(schematest.Size(1, 2))}
	}
	calm := e2e.StagesProgram(t, allStages...)
	want, within := undisturbed(t, args(calm)), 0
	for _, c := range []struct {
		do   string
		k, n int
	}{{"learn", 0, 3}, {"method", 0, 1}, {"method", 1, 1}, {"select", 1, 1}, {"model", 1, 1}, {"learn", 0, 1},
		{"learn", 1, 2}}[:schematest.Size(1, 7)] {
		dir := t.TempDir()
		store, kill := filepath.Join(dir, "store.db"), filepath.Join(dir, "kill")
		e2e.Must(t, os.WriteFile(kill, nil, 0o666))
		run := append([]string{"run", "--store", store}, args(killingStages(t, kill, c.do, c.k, c.n))...)
		if !killed(t, startFaulty(t, []string{hurried}, run...)) {
			t.Fatalf("it was not asked for %s in iteration %d for the %d. time", c.do, c.k, c.n)
		}
		s := afterDeath(t, store)
		if s == nil || s.iterations > c.k || s.checkpoint && s.options >= c.n {
			t.Errorf("killed in %s %d of iteration %d, it left %+v", c.do, c.n, c.k, s)
		}
		if s != nil && s.checkpoint {
			within++
		}
		e2e.Start(t, run...).Exit(t, 0)
		checkRun(t, afterDeath(t, store), allTransactions, want)
		if schematest.Long() && c.n == 3 {
			replayed := e2e.Perform(t, append([]string{"replay", "--store", store, "@1"}, args(calm)[:6]...)...)
			if !strings.Contains(replayed, "stages: 10 identical") {
				t.Errorf("replay says %s", replayed)
			}
		}
	}
	if schematest.Long() && within == 0 {
		t.Error("no run was killed within an iteration")
	}
}

// TestKilledWhileCollecting kills a run while its program collects. The same command reaches the head of an undisturbed
// run.
func TestKilledWhileCollecting(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	needsFaults(t)
	args := func(program string) []string { return append(e2e.CollectRun("", program)[3:], "--steps", "200") }
	want := undisturbed(t, args(e2e.CollectProgram(t)))
	store, kill := filepath.Join(t.TempDir(), "store.db"), filepath.Join(t.TempDir(), "kill")
	e2e.Must(t, os.WriteFile(kill, nil, 0o666))
	killing := e2e.CollectProgram(t, "import json, random, sys", "import json, os, random, sys", "    return answer",
		fmt.Sprintf(`    if r["k"] == 1 and os.path.exists(%q):
        os.remove(%[1]q)
        os.kill(os.getppid(), 9)
    return answer`, kill))
	run := append([]string{"run", "--store", store}, args(killing)...)
	if !killed(t, startFaulty(t, []string{hurried}, run...)) {
		t.Fatal("it was not killed")
	}
	if s := afterDeath(t, store); s == nil || s.iterations > 1 {
		t.Errorf("it left %+v", s)
	}
	e2e.Start(t, run...).Exit(t, 0)
	checkRun(t, afterDeath(t, store), allTransactions, want)
}
