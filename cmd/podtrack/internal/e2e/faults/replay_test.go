package faults

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
	"go.etcd.io/bbolt"
)

// liesAndDamage returns stores whose replay must not exit 0.
func liesAndDamage(t *testing.T) map[string]string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "podtrack.db")
	if code, _, stderr := e2e.Podtrack("run", "--store", store, "--bits", "6", "--steps", "100", "--iterations",
		"3"); code != 0 {
		t.Fatal(stderr)
	}
	truth := func(*schema.Spec) {}
	copied := func(_ int, _ schema.Kind, record []byte) []byte { return record }
	stores := map[string]string{
		"truth":    rewrite(t, store, truth, copied),
		"numerics": rewrite(t, store, func(s *schema.Spec) { s.Numerics = schema.NumericsVersion + 1 }, copied),
		"measure": rewrite(t, store, truth, func(k int, kind schema.Kind, record []byte) []byte {
			if k != 1 || kind != schema.KindMeasures {
				return record
			}
			m, err := schema.DecodeMeasures(record)
			e2e.Must(t, err)
			*m.Distance = 77
			record, err = m.Encode()
			e2e.Must(t, err)
			return record
		}),
		"sigma": rewrite(t, store, truth, func(k int, kind schema.Kind, record []byte) []byte {
			if k != 2 || kind != schema.KindFactors {
				return record
			}
			f, err := schema.DecodeFactors(record)
			e2e.Must(t, err)
			f.Sigma[0] = math.Nextafter(f.Sigma[0], 1e9) // the options have the true one
			record, err = f.Encode()
			e2e.Must(t, err)
			return record
		}),
		"damage": rewrite(t, store, truth, copied),
	}
	damageTransitions(t, stores["damage"], 1)
	return stores
}

// damageTransitions takes the transitions of iteration k out of a store.
func damageTransitions(t *testing.T, path string, k int) {
	t.Helper()
	var name schema.Digest
	e2e.Must(t, tracker.New(path, tracker.Options{}).View(context.Background(), func(tx *tracker.Tx) error {
		run, err := tx.Resolve("@1")
		e2e.Must(t, err)
		it, err := tx.ReadIteration(run.ID, k)
		e2e.Must(t, err)
		name, err = it.OnlyRecord(schema.KindTransitions)
		return err
	}))
	db, err := bbolt.Open(path, 0o600, nil)
	e2e.Must(t, err)
	e2e.Must(t, db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("digests")).Delete(name[:]) }))
	e2e.Must(t, db.Close())
}

// TestReplayFinds compares the exit codes and words of replay with what is wrong with a store. Every error has a
// remedy.
func TestReplayFinds(t *testing.T) {
	stores := liesAndDamage(t)
	for _, c := range []struct {
		store  string
		args   string
		code   int
		stdout []string
		stderr []string
	}{
		{"truth", "@1", 0, []string{"stages: 12 identical"}, nil},
		{"numerics", "@1", cmdline.ExitUnverified, nil,
			[]string{"cannot be verified here", "numerics version 3", "this program computes numerics version 2"}},
		{"numerics", "seed=0", cmdline.ExitUnverified, nil, []string{"cannot be verified here"}},
		{"measure", "@1", cmdline.ExitDifference,
			[]string{"1  identical  identical  identical  different", "stages: 11 identical, 1 different"},
			[]string{"stages that do not hold: 1; the first: iteration 1, measure: measures record 0, " +
				"distance[0] is recorded as 77 and recomputed as ", "these records were altered"}},
		{"measure", "seed=0", cmdline.ExitDifference, nil, []string{"iteration 1, measure"}},
		{"measure", "@1:0", 0, []string{"stages: 4 identical"}, nil},
		{"measure", "@1:1", cmdline.ExitDifference, []string{"stages: 3 identical, 1 different"},
			[]string{"iteration 1, measure"}},
		{"measure", "@1:2", 0, []string{"stages: 4 identical"}, nil},
		{"sigma", "@1", cmdline.ExitDifference, []string{"2  identical  different  different  identical"},
			[]string{"iteration 2, factor: factors record 0, sigma[0] is recorded as ", "(1 ulps apart)"}},
		{"damage", "@1", cmdline.ExitDifference, []string{"stages: 8 identical, 1 damaged, 3 unjudged",
			"1  damaged    unjudged   identical  unjudged", "2  unjudged   identical"},
			[]string{"stages that do not hold: 1; the first: iteration 1, collect: transitions record 0: record ",
				"not in the store"}},
		{"damage", "@1:2", cmdline.ExitUnverified, nil,
			[]string{"iteration 2 of run ", "cannot be verified here", "iteration 1", "not in the store"}},
		{"damage", "@1:0", 0, []string{"stages: 4 identical"}, nil},
	} {
		t.Run(c.store+" "+c.args, func(t *testing.T) {
			code, stdout, stderr := e2e.Podtrack("replay", "--store", stores[c.store], c.args)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, want := range c.stdout {
				if !strings.Contains(stdout, want) {
					t.Errorf("stdout does not say %q:\n%s", want, stdout)
				}
			}
			for _, want := range c.stderr {
				if !strings.Contains(stderr, want) {
					t.Errorf("stderr does not say %q:\n%s", want, stderr)
				}
			}
			if remedied := strings.Contains(stderr, "\n  "); remedied != (code != 0) {
				t.Errorf("a remedy with exit code %d: %v\n%s", code, remedied, stderr)
			}
			if code == cmdline.ExitUnverified && stdout != "" {
				t.Errorf("stdout: %s", stdout)
			}
		})
	}
}

// TestReplaySampleFinds: one part of a sample finds a forgery, and no other part does.
func TestReplaySampleFinds(t *testing.T) {
	store := liesAndDamage(t)["measure"]
	found := 0
	for _, sample := range []string{"1/3", "2/3", "3/3"} {
		if code, _, _ := e2e.Podtrack("replay", "--store", store, "--sample", sample, "@1"); code == cmdline.ExitDifference {
			found++
		} else if code != 0 {
			t.Errorf("part %s exits %d", sample, code)
		}
	}
	if found != 1 {
		t.Errorf("found by %d parts of 3", found)
	}
}
