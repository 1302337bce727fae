package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestDiffFindsPlantedChange forges a store in which one option does something
// else in one state: it is found, it is all that is found, and replay would not
// call it identical either.
func TestDiffFindsPlantedChange(t *testing.T) {
	const state = 4 // which was visited, so that it weighs
	store := e2e.Small(t)
	planted, was := 0, int8(0)
	forged := rewrite(t, store, func(*schema.Spec) {}, func(k int, kind schema.Kind, record []byte) []byte {
		if k != 1 || kind != schema.KindOption {
			return record
		}
		o, err := schema.DecodeOption(record)
		e2e.Must(t, err)
		if o.Purpose.J != 2 || o.Purpose.Sign != -1 {
			return record
		}
		planted, was = planted+1, o.Policy[state]
		o.Policy[state] = 0
		if was == 0 {
			o.Policy[state] = 1
		}
		record, err = o.Encode()
		e2e.Must(t, err)
		return record
	})
	code, stdout, stderr := e2e.Podtrack("diff", "@1", "@1", "--store", store, "--other", forged, "--json",
		"--agreement", "1")
	var r diff.Report
	e2e.Must(t, json.Unmarshal([]byte(stdout), &r))
	if code != cmdline.ExitDifference || planted != 1 || r.Identical || r.Equivalent || r.Divergence == nil ||
		r.Divergence.K != 1 || r.Divergence.Stage != "learn" {
		t.Fatalf("exit code %d, %s, planted %d, %+v", code, stderr, planted, r)
	}
	for _, it := range r.Iterations {
		if it.Identical != (it.K != 1) || len(it.OnlyA)+len(it.OnlyB) > 0 {
			t.Errorf("iteration %d: %+v", it.K, it)
		}
		for _, p := range it.Pairs {
			other := int8(0) // of two actions
			if was == 0 {
				other = 1
			}
			var want []diff.Disagreement
			if it.K == 1 && strings.HasSuffix(p.A, ":1/2-") {
				want = []diff.Disagreement{{State: state, A: was, B: other}}
			}
			if p.Differing != len(want) || !slices.Equal(p.States, want) || p.Cosine != 1 || p.RMSE != 0 {
				t.Errorf("%s and %s: %+v", p.A, p.B, p.BehaviourSimilarity)
			}
		}
	}
	_, text, _ := e2e.Podtrack("diff", "@1:1/2-", "@1:1/2-", "--store", store, "--other", forged)
	if !strings.Contains(text, fmt.Sprintf("different  in 1 state: %d (", state)) || strings.Contains(text, "identical") {
		t.Errorf("of the two options:\n%s", text)
	}
}

// TestDiffOfDamage: diff reports a missing or invalid record as damage and not as a difference, and prints
// nothing else.
func TestDiffOfDamage(t *testing.T) {
	t.Parallel()
	store := e2e.Small(t)
	same := func(*schema.Spec) {}
	copied := rewrite(t, store, same, func(_ int, _ schema.Kind, record []byte) []byte { return record })
	damageTransitions(t, copied, 1)
	malformed := func(damage schema.Kind, bytes []byte) string {
		return rewrite(t, store, same, func(k int, kind schema.Kind, record []byte) []byte {
			if k == 1 && kind == damage {
				return bytes
			}
			return record
		})
	}
	wide, err := schema.Factors{Dims: 1, Sigma: []float64{9}, V: []float64{1}}.Encode()
	e2e.Must(t, err)
	var partial []byte // of the same features, and the first direction alone
	rewrite(t, store, same, func(k int, kind schema.Kind, record []byte) []byte {
		if k == 1 && kind == schema.KindFactors {
			f, err := schema.DecodeFactors(record)
			e2e.Must(t, err)
			v := make([]float64, f.Dims)
			for i := range v {
				v[i] = f.V[i*f.Dims]
			}
			f.Sigma, f.V = f.Sigma[:1], v
			partial, err = f.Encode()
			e2e.Must(t, err)
		}
		return record
	})
	short, err := schema.Value{1, 2, 3}.Encode()
	e2e.Must(t, err)
	for name, c := range map[string]struct{ store, says string }{
		"missing":         {copied, "not in the store"},
		"not a record":    {malformed(schema.KindOption, []byte("no record")), "bytes end too early"},
		"other features":  {malformed(schema.KindFactors, wide), "factors for 1 features"},
		"one direction":   {malformed(schema.KindFactors, partial), "1 directions of factors"},
		"too few values":  {malformed(schema.KindValue, short), "values for 3 states"},
		"another's bytes": {malformed(schema.KindTransitions, short), "a value record"},
	} {
		for _, args := range [][]string{{"@1", "@1"}, {"@1:1", "@1:1"}, {"@1:1/1+", "@1:1/1+"}} {
			code, stdout, stderr := e2e.Podtrack(append([]string{"diff", "--store", store, "--other", c.store}, args...)...)
			if code != cmdline.ExitDifference || stdout != "" || !strings.Contains(stderr, "iteration 1: record ") ||
				!strings.Contains(stderr, c.says) || !strings.Contains(stderr, "\n  podtrack replay") {
				t.Errorf("%s, %v: exit code %d\n%s%s", name, args, code, stdout, stderr)
			}
		}
	}
	code, stdout, stderr := e2e.Podtrack("diff", "--group", "@1", "--store", malformed(schema.KindFactors, wide))
	if code != cmdline.ExitDifference || stdout != "" || !strings.Contains(stderr, "factors for 1 features") {
		t.Errorf("a group: exit code %d\n%s%s", code, stdout, stderr)
	}
}
