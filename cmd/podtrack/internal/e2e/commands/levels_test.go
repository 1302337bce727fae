package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// levelsOfOwn are the levels of a run whose selection and learner are programs, by stage.
var levelsOfOwn = map[string]schema.Level{
	"collect": schema.Recomputed, "factor": schema.Recomputed, "select": schema.Claimed, "learn": schema.Verified,
	"measure": schema.Recomputed,
}

const provesOfOwn = "collect, factor, measure recomputed; learn verified (recomputed with --learner exec:CMD); " +
	"select claimed (recomputed with --select exec:CMD)"

// levelViews are the views of the levels of a run "own" beside a run "built" that podtrack alone recomputes: the
// command, its exit status, and what it prints. A pattern in which each space stands for any white space.
var levelViews = []struct {
	args string
	exit int
	want []string
}{
	{"replay own", 125, []string{`0 identical identical claimed verified identical`,
		`levels: 6 recomputed, 2 verified, 2 claimed`}},
	{"show own", 0, []string{`proves ` + regexp.QuoteMeta(provesOfOwn)}},
	{"ls own built --columns name,proof_level --format csv", 0, []string{`built,recomputed`, `own,claimed`}},
	{"ls proof_level=claimed --columns name --format csv", 0, []string{`^name own $`}},
	{"check", 0, []string{`levels: runs: 1 recomputed, 0 verified, 1 claimed`,
		`stages: 14 recomputed, 2 verified, 2 claimed`,
		`a check recomputes nothing; podtrack replay RUN with --select exec:CMD --learner exec:CMD does`}},
	{"check own", 0, []string{`levels: runs: 0 recomputed, 0 verified, 1 claimed`}},
	{"diff own built --exit-zero", 0, []string{`level a b ─+ select claimed – learn verified recomputed`}},
	{"diff own:1 built:1 --exit-zero", 0, []string{`select claimed – learn verified recomputed`}},
	{"why own:#0", 0, []string{`claimed: spread 1 decided`, `verified: sweeps.py 1 learned them`,
		`The head proves: ` + regexp.QuoteMeta(provesOfOwn), `replay own:0 --learner exec:CMD learns it again`}},
	{"check FILE.html", 0, []string{`levels yes the head proves: ` + regexp.QuoteMeta(provesOfOwn)}},
}

// TestLevelViews: each view of a run says how much is known of its stages, with the same three words.
func TestLevelViews(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	dir, program := t.TempDir(), e2e.StagesProgram(t)
	store, document := filepath.Join(dir, "store.db"), filepath.Join(dir, "own.html")
	e2e.Start(t, stagesRun(store, program)...).Exit(t, 0)
	e2e.Start(t, "run", "--store", store, "--bits", "6", "--hide", "0", "--steps", "200", "--iterations", "2", "--name",
		"built").Exit(t, 0)
	e2e.Start(t, "why", "own:#0", "-o", document, "--store", store).Exit(t, 0)
	for _, v := range levelViews {
		args := strings.Fields(v.args)
		if i := slices.Index(args, "FILE.html"); i >= 0 {
			args[i] = document
		} else {
			args = append(args, "--store", store)
		}
		p := e2e.Start(t, args...)
		p.Exit(t, v.exit)
		for _, want := range v.want {
			if !matches(want, p.Printed.String()) {
				t.Errorf("podtrack %s prints\n%s\nwant %s", v.args, p.Printed.String(), want)
			}
		}
	}
	for _, args := range []string{"show built", "why built:#0", "replay built", "check built"} {
		p := e2e.Start(t, append(strings.Fields(args), "--store", store)...)
		p.Exit(t, 0)
		if said := p.Printed.String(); strings.Contains(said, "proves") || strings.Contains(said, "levels") {
			t.Errorf("podtrack %s, which podtrack alone recomputes, prints\n%s", args, said)
		}
	}
	if text, err := os.ReadFile(document); err != nil || !matches("The head proves: "+regexp.QuoteMeta(provesOfOwn),
		string(text)) {
		t.Errorf("the document does not say what the head proves: %v", err)
	} else if !matches("podtrack replay RUN --select exec:CMD --learner exec:CMD", string(text)) ||
		matches("podtrack run --spec FILE", string(text)) {
		t.Error("the document does not say what computes the run again")
	}
	checkLevelDocuments(t, store)
}

// checkLevelDocuments compares the levels in each JSON document.
func checkLevelDocuments(t *testing.T, store string) {
	t.Helper()
	address, p := startServer(t, store)
	defer func() { _ = p.Process.Kill() }()
	for name, document := range map[string][]byte{
		"show --json": printedWith(t, 0, "show", "own", "--json", "--store", store),
		"why --json":  printedWith(t, 0, "why", "own:#0", "--json", "--store", store),
		"the page":    get(t, address+"show?of=own&json=true"),
	} {
		var d struct {
			ProofLevel schema.Level `json:"proof_level"`
			Proves     string       `json:"proves"`
			Levels     []struct {
				Stage, Needs string
				Level        schema.Level
				With         schema.Level `json:"with_programs"`
			} `json:"levels"`
		}
		e2e.Must(t, json.Unmarshal(document, &d))
		if len(d.Levels) != len(levelsOfOwn) || name != "why --json" && d.Proves != provesOfOwn {
			t.Errorf("%s has %+v", name, d)
		}
		for _, l := range d.Levels {
			needs := map[string]string{"select": "select", "learn": "learner"}[l.Stage]
			if l.Level != levelsOfOwn[l.Stage] || l.With != schema.Recomputed || l.Needs != needs {
				t.Errorf("%s has %+v", name, l)
			}
		}
	}
	var replayed struct {
		Iterations []struct {
			Stages []struct {
				Stage string
				Level schema.Level
			}
		}
	}
	e2e.Must(t, json.Unmarshal(printedWith(t, 125, "replay", "own", "--json", "--store", store), &replayed))
	for _, s := range replayed.Iterations[1].Stages {
		if s.Level != levelsOfOwn[s.Stage] {
			t.Errorf("replay --json: %s is %s", s.Stage, s.Level)
		}
	}
	var counts struct {
		Levels struct{ Runs, Stages map[schema.Level]int }
	}
	e2e.Must(t, json.Unmarshal(printedWith(t, 0, "check", "--json", "--store", store), &counts))
	if got := fmt.Sprint(counts.Levels); got != "{map[claimed:1 recomputed:1 verified:0] "+
		"map[claimed:2 recomputed:14 verified:2]}" {
		t.Errorf("check --json counts %s", got)
	}
}

// printedWith returns what a command prints that exits with a status.
func printedWith(t *testing.T, exit int, args ...string) []byte {
	t.Helper()
	p := e2e.Start(t, args...)
	p.Exit(t, exit)
	return p.Printed.Bytes()
}

// matches reports whether a text matches a pattern in which each space stands for any white space.
func matches(pattern, text string) bool {
	return regexp.MustCompile(strings.ReplaceAll(pattern, " ", `\s+`)).MatchString(text)
}

// TestLevelsAreDefinedAlike: each document defines the three levels with the same words as package schema.
func TestLevelsAreDefinedAlike(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join(e2e.Repository(t, ""), "schema", "stages.go"))
	e2e.Must(t, err)
	meanings := regexp.MustCompile(`Level = "(\w+)" +// (.*)\n`).FindAllStringSubmatch(string(source), -1)
	if len(meanings) != len(schema.Levels()) {
		t.Fatalf("package schema defines %d levels", len(meanings))
	}
	documents := map[string]string{}
	for _, topic := range []string{"stages", "glossary"} {
		documents[topic], err = help.Text(topic)
		e2e.Must(t, err)
	}
	for _, path := range []string{"ARCHITECTURE.md", "schema/FORMAT.md"} {
		text, err := os.ReadFile(e2e.Repository(t, path))
		e2e.Must(t, err)
		documents[path] = string(text)
	}
	for name, text := range documents {
		plain := strings.Join(strings.Fields(text), " ")
		for _, m := range meanings {
			if !slices.Contains(schema.Levels(), schema.Level(m[1])) || !strings.Contains(plain, m[1]) ||
				!strings.Contains(plain, m[2]) {
				t.Errorf("%s does not say that %s is: %s", name, m[1], m[2])
			}
		}
	}
}
