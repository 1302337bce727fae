package faults

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
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
