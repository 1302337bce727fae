package damage

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema"
	"go.etcd.io/bbolt"
)

// TestCheckOtherNumerics: a run that only another podtrack can compute is checked
// for damage like any other, and named; it is not damaged for that.
func TestCheckOtherNumerics(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made.db")
	e2e.Perform(t, e2e.Tiny("run", "--store", made)...)
	copied := func(_ int, _ schema.Kind, record []byte) []byte { return record }
	store := e2e.Rewrite(t, made, func(s *schema.Spec) { s.Numerics = schema.NumericsVersion + 1 }, copied)
	id := e2e.List(t, store)[0].ID
	e2e.Perform(t, "tag", "@1", "old", "--store", store)
	e2e.Perform(t, e2e.Tiny("run", "--seed", "9", "--store", store)...)

	named := fmt.Sprintf("run %.12s: version %d\n", id, schema.NumericsVersion+1)
	for _, args := range [][]string{{"check"}, {"check", "--read-data"}, {"check", id.String()}} {
		p := answer(t, append(args, "--store", store), cmdline.ExitDone)
		if out := p.Printed.String(); !strings.Contains(out, named) ||
			!strings.Contains(out, "1 run of another numerics version") || !strings.Contains(out, "no damage was found") {
			t.Errorf("%v says\n%s", args, out)
		}
	}
	p := answer(t, []string{"check", "--json", "--store", store}, cmdline.ExitDone)
	if want := fmt.Sprintf(`"numerics": %d`, schema.NumericsVersion+1); strings.Count(p.Printed.String(), want) != 1 ||
		!strings.Contains(p.Printed.String(), id.String()) {
		t.Errorf("check --json says\n%s", p.Printed.String())
	}
	p = answer(t, []string{"check", "seed=9", "--store", store}, cmdline.ExitDone)
	if strings.Contains(p.Printed.String(), "numerics") {
		t.Errorf("check of another run says\n%s", p.Printed.String())
	}

	e2e.ChangeStore(t, store, func(tx *bbolt.Tx) error {
		key, value := e2e.RowOf(t, tx, "iterations", iterationKey(id, 1))
		value[0] ^= 1
		e2e.PutRow(t, tx, "iterations", key, value)
		return nil
	})
	p = answer(t, []string{"check", "--store", store}, cmdline.ExitDifference)
	if !strings.Contains(p.Printed.String(), fmt.Sprintf("run %.12s, iteration 1: iterations", id)) ||
		!strings.Contains(p.Printed.String(), named) {
		t.Errorf("check of a damaged run says\n%s", p.Printed.String())
	}
}
