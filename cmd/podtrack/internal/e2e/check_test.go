package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema"
	"go.etcd.io/bbolt"
)

// TestCheckOtherNumerics: a run that only another podtrack can compute is checked
// for damage like any other, and named; it is not damaged for that.
func TestCheckOtherNumerics(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made.db")
	perform(t, tiny("run", "--store", made)...)
	copied := func(_ int, _ schema.Kind, record []byte) []byte { return record }
	store := rewrite(t, made, func(s *schema.Spec) { s.Numerics = schema.NumericsVersion + 1 }, copied)
	id := list(t, store)[0].ID
	perform(t, "tag", "@1", "old", "--store", store)
	perform(t, tiny("run", "--seed", "9", "--store", store)...)

	named := fmt.Sprintf("run %.12s: version %d\n", id, schema.NumericsVersion+1)
	for _, args := range [][]string{{"check"}, {"check", "--read-data"}, {"check", id.String()}} {
		p := answer(t, append(args, "--store", store), cmdline.ExitDone)
		if out := p.stdout.String(); !strings.Contains(out, named) ||
			!strings.Contains(out, "1 run of another numerics version") || !strings.Contains(out, "no damage was found") {
			t.Errorf("%v says\n%s", args, out)
		}
	}
	p := answer(t, []string{"check", "--json", "--store", store}, cmdline.ExitDone)
	if want := fmt.Sprintf(`"numerics": %d`, schema.NumericsVersion+1); strings.Count(p.stdout.String(), want) != 1 ||
		!strings.Contains(p.stdout.String(), id.String()) {
		t.Errorf("check --json says\n%s", p.stdout.String())
	}
	p = answer(t, []string{"check", "seed=9", "--store", store}, cmdline.ExitDone)
	if strings.Contains(p.stdout.String(), "numerics") {
		t.Errorf("check of another run says\n%s", p.stdout.String())
	}

	change(t, store, func(tx *bbolt.Tx) error {
		key, value := rowOf(t, tx, "iterations", iterationKey(id, 1))
		value[0] ^= 1
		putRow(t, tx, "iterations", key, value)
		return nil
	})
	p = answer(t, []string{"check", "--store", store}, cmdline.ExitDifference)
	if !strings.Contains(p.stdout.String(), fmt.Sprintf("run %.12s, iteration 1: iterations", id)) ||
		!strings.Contains(p.stdout.String(), named) {
		t.Errorf("check of a damaged run says\n%s", p.stdout.String())
	}
}

// tiny returns a command about a run that takes a few milliseconds.
func tiny(args ...string) []string {
	return append(args, "--bits", "4", "--steps", "40", "--iterations", "2")
}
