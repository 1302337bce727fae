package damage

import (
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

// TestWhyFinds holds exit codes and words of why to what is wrong with a store.
func TestWhyFinds(t *testing.T) {
	stores := liesAndDamage(t)
	for _, c := range []struct {
		store, args string
		code        int
		stdout      string
		stderr      []string
	}{
		{"truth", "@1:2/1+", 0, "2  head", nil},
		{"numerics", "@1:2/1+", cmdline.ExitUnverified, "", []string{"cannot be verified here", "numerics version 3"}},
		{"sigma", "@1:2/1+", cmdline.ExitDifference, "no        its Σ, V and U are not those of its rows",
			[]string{"the chain of ", "does not hold", "podtrack replay ", ":2 shows more"}},
		{"sigma", "@1:2/1+ --json", cmdline.ExitDifference, `"verified": false`, []string{"does not hold"}},
		{"sigma", "@1:2/1+ --format dot", cmdline.ExitDifference, "strict digraph why", []string{"does not hold"}},
		{"sigma", "@1:1/1+", 0, "2  head", nil},
		{"damage", "@1:1/1+", cmdline.ExitDifference, "",
			[]string{"iteration 1: record ", "not in the store: damaged",
				"shows which records are still valid"}},
		{"damage", "@1:2/1+", cmdline.ExitDifference, "eigenpurpose 1+ of iteration 2", []string{"iteration 1: record "}},
		{"damage", "@1:2/1+ --depth 0", 0, "2  head", nil},
		{"damage", "@1:0/1+", 0, "2  head", nil},
	} {
		t.Run(c.store+" "+c.args, func(t *testing.T) {
			code, stdout, stderr := e2e.Podtrack(append([]string{"why", "--store", stores[c.store]},
				strings.Fields(c.args)...)...)
			if code != c.code || !strings.Contains(stdout, c.stdout) || (c.stdout == "") != (stdout == "") {
				t.Errorf("exit code %d, want %d; stdout should say %q:\n%s", code, c.code, c.stdout, stdout)
			}
			for _, want := range c.stderr {
				if !strings.Contains(stderr, want) {
					t.Errorf("stderr does not say %q:\n%s", want, stderr)
				}
			}
			if remedied := strings.Contains(stderr, "\n  "); remedied != (code != 0) {
				t.Errorf("a remedy with exit code %d: %v\n%s", code, remedied, stderr)
			}
		})
	}
}

// TestWhyJSON holds the document to the fields that scripts rely on, and --json
// to --format json.
func TestWhyJSON(t *testing.T) {
	store := filepath.Join(t.TempDir(), "podtrack.db")
	if code, _, stderr := e2e.Podtrack("run", "--store", store, "--bits", "6", "--steps", "100", "--iterations",
		"3"); code != 0 {
		t.Fatal(stderr)
	}
	_, stdout, _ := e2e.Podtrack("why", "--store", store, "@1:2/1-", "--json", "--state", "7")
	if _, same, _ := e2e.Podtrack("why", "--store", store, "@1:2/1−", "--format", "json", "--state",
		"7"); same != stdout {
		t.Error("--format json prints something else than --json")
	}
	var doc map[string]any
	e2e.Must(t, json.Unmarshal([]byte(stdout), &doc))
	for path, want := range map[string]string{
		"": "acts after ancestors chain dataset evidence k levels number option purpose run sources state",
		"purpose": "basis features gap_above gap_below j kappa lowest margin method " +
			"select sigma sign vector warnings",
		"dataset":          "data digest distinct iterations rows",
		"evidence":         "count product row share steps support",
		"sources":          "number share source steps support without",
		"sources without":  "cosine j selected sigma",
		"after":            "number share source steps support without",
		"ancestors":        "depth influence number option share",
		"chain":            "digest how k verified what",
		"acts":             "certificate distinct_ends ends lengths never states",
		"acts certificate": "acyclic initiation longest null peak_q reach termination tolerance",
		"state":            "action actions acts discounted end length path reward state tolerance value",
		"state actions":    "action next q reward",
		"evidence steps":   "executing k next number state step",
		"dataset data":     "digest k kind",
		"state path":       "action reward state",
		"acts lengths":     "max median min p95 q25 q75",
		"acts ends":        "from state",
	} {
		if keys := strings.Join(slices.Sorted(maps.Keys(inside(t, doc, path))), " "); keys != want {
			t.Errorf("%q has the fields %s, want %s", path, keys, want)
		}
	}
	sum := 0.0
	for _, e := range doc["evidence"].([]any) {
		sum += e.(map[string]any)["share"].(float64)
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the shares that are printed add up to %v", sum)
	}
}

// inside follows names into a document, into the first element of lists.
func inside(t *testing.T, v any, path string) map[string]any {
	t.Helper()
	for _, name := range strings.Fields(path) {
		v = v.(map[string]any)[name]
		if list, is := v.([]any); is {
			if len(list) == 0 {
				t.Fatalf("%s is empty", path)
			}
			v = list[0]
		}
	}
	return v.(map[string]any)
}

// TestWhyLines are short enough to be read, whatever is audited.
func TestWhyLines(t *testing.T) {
	t.Parallel()
	const width = 150
	dir := t.TempDir()
	for name, flags := range map[string][]string{
		"written":   nil,
		"published": {"--reading", "as-published"},
		"hidden":    {"--reading", "as-published", "--hide", "3"},
	} {
		store := filepath.Join(dir, name+".db")
		if code, _, stderr := e2e.Podtrack(append([]string{"run", "--store", store, "--iterations", "4"},
			flags...)...); code != 0 {
			t.Fatal(stderr)
		}
		for _, state := range [][]string{nil, {"--state", "100"}, {"--state", "2047"}} {
			code, stdout, stderr := e2e.Podtrack(append([]string{"why", "--store", store, "@1:3/2-"}, state...)...)
			if code != 0 {
				t.Fatal(stderr)
			}
			for line := range strings.Lines(stdout) {
				if n := len([]rune(line)); n > width {
					t.Errorf("%s: a line of %d characters: %s", name, n, line)
				}
				if strings.TrimRight(line, " \n") != strings.TrimRight(line, "\n") {
					t.Errorf("%s: blanks at the end of %q", name, line)
				}
			}
		}
	}
}
