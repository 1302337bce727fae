package damage

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

// TestWhyFinds compares the exit codes and words of why with what is wrong with a store.
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
		{"sigma", "@1:1/1+", 0, "2  head", nil},
		{"damage", "@1:1/1+", cmdline.ExitDifference, "",
			[]string{"damaged: run ", "iteration 1: record ", ": not in the store\n",
				"shows which records are still valid"}},
		{"damage", "@1:2/1+", cmdline.ExitDifference, "eigenpurpose 1+ of iteration 2", []string{"iteration 1: record "}},
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

// TestWhyJSON: the shares that are printed add up to 1.
func TestWhyJSON(t *testing.T) {
	store := filepath.Join(t.TempDir(), "podtrack.db")
	command := commandsOn(t, store)
	command(0, "run", "--bits", "6", "--steps", "100", "--iterations", "3")
	out := command(0, "why", "@1:2/1-", "--json")
	var doc struct{ Evidence []struct{ Share float64 } }
	e2e.Must(t, json.Unmarshal([]byte(out), &doc))
	sum := 0.0
	for _, e := range doc.Evidence {
		sum += e.Share
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the shares that are printed add up to %v", sum)
	}
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
		code, stdout, stderr := e2e.Podtrack("why", "--store", store, "@1:3/2-")
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
